package dev.plainsail.epp.protocol;

import dev.plainsail.epp.routing.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code envoy.service.accesslog.v3.StreamAccessLogsMessage} and keeps of each entry what an {@link Outcome} needs;
 * a full parse would cost as much as the decision did. Entries without a ticket of ours, and those written before the
 * end of a request, are left out.
 */
final class AccessLogDecoder {
    private static final long NANOS = 1_000_000_000L;

    private AccessLogDecoder() {}

    /** @throws WireReader.Malformed if the bytes are no message */
    static List<AccessLogEntry> decode(byte[] message) {
        List<AccessLogEntry> entries = new ArrayList<>();
        WireReader in = new WireReader(message, 0, message.length);
        while (in.next()) {
            if (in.field() != 2 || !in.isBytes()) {
                in.skip();
                continue;
            }
            WireReader http = in.message();
            while (http.next()) {
                if (http.field() == 1 && http.isBytes()) {
                    AccessLogEntry entry = new Entry().read(http.message());
                    if (entry != null) {
                        entries.add(entry);
                    }
                } else {
                    http.skip();
                }
            }
        }
        return entries;
    }

    /** One {@code HTTPAccessLogEntry}. */
    private static final class Entry {
        private long ticket = -1;
        private int status;
        private @Nullable String upstream;
        private long lastByteNanos = -1;
        private long durationNanos = -1;
        private long responseBytes;
        private boolean clientGone;
        private boolean upstreamFailed;
        private boolean atEnd = true;

        @Nullable
        AccessLogEntry read(WireReader in) {
            while (in.next()) {
                if (!in.isBytes()) {
                    in.skip();
                    continue;
                }
                switch (in.field()) {
                    case 1 -> common(in.message());
                    case 4 -> response(in.message());
                    default -> in.skip();
                }
            }
            if (ticket < 0 || !atEnd) {
                return null;
            }
            long nanos = lastByteNanos >= 0 ? lastByteNanos : durationNanos;
            return new AccessLogEntry(
                    ticket, new Outcome(status, upstream, nanos, responseBytes, clientGone, upstreamFailed));
        }

        private void common(WireReader in) {
            while (in.next()) {
                if (in.isVarint() && in.field() == 33) {
                    long type = in.varint();
                    atEnd = type == 0 || type == 6; // not set, or DownstreamEnd
                } else if (!in.isBytes()) {
                    in.skip();
                } else {
                    switch (in.field()) {
                        case 12 -> lastByteNanos = duration(in.message());
                        case 13 -> upstream = address(in.message());
                        case 16 -> flags(in.message());
                        case 17 -> metadata(in.message());
                        case 23 -> durationNanos = duration(in.message());
                        default -> in.skip();
                    }
                }
            }
        }

        private void response(WireReader in) {
            while (in.next()) {
                if (in.field() == 1 && in.isBytes()) {
                    WireReader code = in.message();
                    while (code.next()) {
                        if (code.field() == 1 && code.isVarint()) {
                            status = (int) code.varint();
                        } else {
                            code.skip();
                        }
                    }
                } else if (in.field() == 3 && in.isVarint()) {
                    responseBytes = in.varint();
                } else {
                    in.skip();
                }
            }
        }

        private static long duration(WireReader in) {
            long nanos = 0;
            while (in.next()) {
                if (in.field() == 1 && in.isVarint()) {
                    nanos += in.varint() * NANOS;
                } else if (in.field() == 2 && in.isVarint()) {
                    nanos += in.varint();
                } else {
                    in.skip();
                }
            }
            return nanos;
        }

        private static @Nullable String address(WireReader in) {
            String host = null;
            long port = 0;
            while (in.next()) {
                if (in.field() != 1 || !in.isBytes()) {
                    in.skip();
                    continue;
                }
                WireReader socket = in.message();
                while (socket.next()) {
                    if (socket.field() == 2 && socket.isBytes()) {
                        host = socket.text();
                    } else if (socket.field() == 3 && socket.isVarint()) {
                        port = socket.varint();
                    } else {
                        socket.skip();
                    }
                }
            }
            if (host == null) {
                return null;
            }
            return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
        }

        /** Of {@code ResponseFlags}: 3 time-out, 5 reset, 6 connection failure, 7 termination; 15 the client hung up. */
        private void flags(WireReader in) {
            while (in.next()) {
                int flag = in.field();
                if (!in.isVarint()) {
                    in.skip();
                    continue;
                }
                boolean set = in.varint() != 0;
                switch (flag) {
                    case 3, 5, 6, 7 -> upstreamFailed |= set;
                    case 15 -> clientGone |= set;
                    default -> {}
                }
            }
        }

        private void metadata(WireReader in) {
            while (in.next()) {
                if (in.field() == 1 && in.isBytes()) {
                    space(in.message());
                } else {
                    in.skip();
                }
            }
        }

        private void space(WireReader entry) {
            WireReader struct = entry.entryValue();
            if (struct != null && entry.entryKey().equals(Answers.OWN_SPACE)) {
                own(struct);
            }
        }

        private void own(WireReader struct) {
            while (struct.next()) {
                if (struct.field() != 1 || !struct.isBytes()) {
                    struct.skip();
                    continue;
                }
                WireReader entry = struct.message();
                WireReader value = entry.entryValue();
                double number = value == null ? -1 : number(value);
                if (entry.entryKey().equals(Answers.TICKET) && number >= 0) {
                    ticket = (long) number;
                }
            }
        }

        private static double number(WireReader value) {
            double number = -1;
            while (value.next()) {
                if (value.field() == 2 && value.isFixed64()) {
                    number = value.fixedDouble();
                } else {
                    value.skip();
                }
            }
            return number;
        }
    }
}
