package dev.plainsail.epp.protocol;

import dev.plainsail.epp.protocol.FromProxy.BodyMode;
import dev.plainsail.epp.protocol.FromProxy.BodyModes;
import dev.plainsail.epp.protocol.FromProxy.Hints;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Decodes {@code envoy.service.ext_proc.v3.ProcessingRequest} without generated classes.
 *
 * <p>Small messages, and all that carry no body, are copied into one array of their size and read there in any order of
 * fields. A large body message, which begins with the body on every proxy, is copied once, straight into chunks of a
 * free list, and only what follows the body is read from an array of its own. Whatever does not fit that pattern takes
 * the first way, which is right for every message.
 */
final class MessageDecoder {
    private static final int SMALL = 4096;
    private static final int REQUEST_BODY = 4;
    private static final int RESPONSE_BODY = 5;
    private static final int LONGEST_PREFIX = 40;

    private final Chunks chunks;
    private final byte[] prefix = new byte[LONGEST_PREFIX];

    MessageDecoder(Chunks chunks) {
        this.chunks = chunks;
    }

    /** @param message its {@code available()} is the length of the message */
    FromProxy decode(InputStream message) throws IOException {
        int size = message.available();
        try {
            return size <= SMALL ? whole(message, size, new byte[size], 0) : large(message, size);
        } catch (WireReader.Malformed e) {
            return new FromProxy.Unreadable(String.valueOf(e.getMessage()));
        }
    }

    private static FromProxy whole(InputStream message, int size, byte[] bytes, int have) throws IOException {
        readFully(message, bytes, have, size);
        return new Parse(bytes).message(new WireReader(bytes, 0, size));
    }

    private FromProxy large(InputStream message, int size) throws IOException {
        readFully(message, prefix, 0, LONGEST_PREFIX);
        WireReader start = new WireReader(prefix, 0, LONGEST_PREFIX);
        int tag = (int) start.varint();
        if (tag != (REQUEST_BODY << 3 | WireReader.BYTES) && tag != (RESPONSE_BODY << 3 | WireReader.BYTES)) {
            return slow(message, size);
        }
        long bodyLength = start.varint();
        long bodyEnd = start.position() + bodyLength;
        if (start.varint() != (1 << 3 | WireReader.BYTES)) {
            return slow(message, size);
        }
        long length = start.varint();
        int from = start.position();
        if (length < SMALL / 2 || from + length > bodyEnd || bodyEnd > size) {
            return slow(message, size);
        }
        Piece piece = read(message, (int) length, from);
        byte[] rest = new byte[size - from - (int) length];
        readFully(message, rest, 0, rest.length);
        Parse parse = new Parse(rest);
        WireReader tail = new WireReader(rest, 0, rest.length);
        int inBody = (int) (bodyEnd - from - length);
        parse.startBody(tag >>> 3, piece, new WireReader(rest, 0, inBody));
        tail.step(inBody);
        return parse.message(tail);
    }

    private FromProxy slow(InputStream message, int size) throws IOException {
        byte[] bytes = Arrays.copyOf(prefix, size);
        return whole(message, size, bytes, LONGEST_PREFIX);
    }

    private Piece read(InputStream message, int length, int from) throws IOException {
        int spans = (length + Chunks.BYTES - 1) / Chunks.BYTES;
        byte[][] arrays = new byte[spans][];
        int have = LONGEST_PREFIX - from;
        int left = length;
        for (int i = 0; i < spans; i++) {
            byte[] chunk = chunks.take();
            int take = Math.min(left, Chunks.BYTES);
            if (i == 0) {
                System.arraycopy(prefix, from, chunk, 0, have);
                readFully(message, chunk, have, take);
            } else {
                readFully(message, chunk, 0, take);
            }
            arrays[i] = chunk;
            left -= take;
        }
        return new Piece(arrays, spans, length - (spans - 1) * Chunks.BYTES);
    }

    private static void readFully(InputStream message, byte[] into, int from, int to) throws IOException {
        int at = from;
        while (at < to) {
            int read = message.read(into, at, to - at);
            if (read < 0) {
                throw new EOFException("message of " + to + " bytes ends at " + at);
            }
            at += read;
        }
    }

    /** What has been read of one message. As protobuf asks: of one-of fields the last counts, messages are merged. */
    private static final class Parse {
        private final byte[] bytes;
        private int kind;
        private WireHeaders headers = WireHeaders.NONE;
        private Piece body = Piece.EMPTY;
        private boolean end;
        private @Nullable BodyModes modes;
        private @Nullable HintReader hints;
        private boolean observing;

        Parse(byte[] bytes) {
            this.bytes = bytes;
        }

        FromProxy message(WireReader in) {
            while (in.next()) {
                field(in);
            }
            Hints given = hints == null ? Hints.NONE : hints.hints();
            return switch (kind) {
                case 2 -> new FromProxy.RequestHeaders(headers, end, modes, given, observing);
                case 3 -> new FromProxy.ResponseHeaders(headers, end, given);
                case REQUEST_BODY -> new FromProxy.RequestBody(body, end);
                case RESPONSE_BODY -> new FromProxy.ResponseBody(body, end);
                case 6 -> new FromProxy.RequestTrailers();
                case 7 -> new FromProxy.ResponseTrailers();
                default -> new FromProxy.Other();
            };
        }

        private void field(WireReader in) {
            int field = in.field();
            if (in.isBytes()) {
                switch (field) {
                    case 2, 3 -> headers(field, in.message());
                    case 4, 5 -> startBody(field, Piece.EMPTY, in.message());
                    case 6, 7 -> {
                        become(field);
                        in.skip();
                    }
                    case 8 -> hints().metadata(in.message());
                    case 9 -> hints().space(in.message());
                    case 11 -> modes(in.message());
                    default -> in.skip();
                }
                return;
            }
            if (field == 10 && in.isVarint()) {
                observing = in.varint() != 0;
                return;
            }
            in.skip();
        }

        private HintReader hints() {
            HintReader reader = hints;
            if (reader == null) {
                reader = new HintReader();
                hints = reader;
            }
            return reader;
        }

        private void become(int field) {
            if (kind != field) {
                kind = field;
                headers = WireHeaders.NONE;
                body = Piece.EMPTY;
                end = false;
            }
        }

        void startBody(int field, Piece piece, WireReader in) {
            become(field);
            if (piece.size() > 0) {
                body = piece;
            }
            while (in.next()) {
                if (in.field() == 1 && in.isBytes()) {
                    int length = in.length();
                    body = new Piece(bytes, in.position(), in.position() + length);
                    in.step(length);
                } else if (in.field() == 2 && in.isVarint()) {
                    end = in.varint() != 0;
                } else {
                    in.skip();
                }
            }
        }

        private void headers(int field, WireReader in) {
            become(field);
            while (in.next()) {
                if (in.field() == 1 && in.isBytes()) {
                    WireHeaders known = headers;
                    if (known.count() == 0) {
                        known = new WireHeaders(bytes);
                        headers = known;
                    }
                    headerMap(known, in.message());
                } else if (in.field() == 3 && in.isVarint()) {
                    end = in.varint() != 0;
                } else {
                    in.skip();
                }
            }
        }

        private static void headerMap(WireHeaders into, WireReader in) {
            while (in.next()) {
                if (in.field() == 1 && in.isBytes()) {
                    header(into, in.message());
                } else {
                    in.skip();
                }
            }
        }

        private static void header(WireHeaders into, WireReader in) {
            int nameFrom = 0;
            int nameTo = 0;
            int valueFrom = 0;
            int valueTo = 0;
            int rawFrom = 0;
            int rawTo = 0;
            while (in.next()) {
                if (!in.isBytes() || in.field() > 3) {
                    in.skip();
                    continue;
                }
                int length = in.length();
                int from = in.position();
                in.step(length);
                switch (in.field()) {
                    case 1 -> {
                        nameFrom = from;
                        nameTo = from + length;
                    }
                    case 2 -> {
                        valueFrom = from;
                        valueTo = from + length;
                    }
                    default -> {
                        rawFrom = from;
                        rawTo = from + length;
                    }
                }
            }
            boolean raw = rawTo > rawFrom;
            into.add(nameFrom, nameTo, raw ? rawFrom : valueFrom, raw ? rawTo : valueTo);
        }

        private void modes(WireReader in) {
            long request = modes == null ? 0 : modes.request().number();
            long response = modes == null ? 0 : modes.response().number();
            while (in.next()) {
                if (in.field() == 1 && in.isVarint()) {
                    request = in.varint();
                } else if (in.field() == 2 && in.isVarint()) {
                    response = in.varint();
                } else {
                    in.skip();
                }
            }
            modes = new BodyModes(BodyMode.of(request), BodyMode.of(response));
        }
    }
}
