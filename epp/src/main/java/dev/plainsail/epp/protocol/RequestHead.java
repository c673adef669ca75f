package dev.plainsail.epp.protocol;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a request's headers say about how to treat it.
 *
 * @param contentLength -1 if not given or no number
 * @param upgrade whether the connection stops being HTTP after the answer, so that no end of body will come
 * @param remove control headers that only the picker may set and that this client sent
 */
record RequestHead(
        String path,
        @Nullable String method,
        @Nullable String contentType,
        @Nullable String contentEncoding,
        long contentLength,
        boolean upgrade,
        @Nullable String poolHint,
        List<String> remove) {

    static final String POOL_HEADER = "x-plainsail-pool";

    /** Headers that make a router or an engine call an address of the client's choice, or look like the picker's own. */
    static final List<String> CONTROL = List.of(
            "x-gateway-destination-endpoint-subset",
            "x-gateway-destination-endpoint-served",
            "x-gateway-destination-endpoint-fallbacks",
            "x-prefiller-host-port",
            "x-prefiller-url",
            "x-prefiller-hosts-ports",
            "x-encoder-hosts-ports",
            "x-decoder-host-port",
            "x-data-parallel-host-port",
            "x-kv-cache-source-host-port");

    private static final List<byte[]> CONTROL_BYTES =
            CONTROL.stream().map(name -> name.getBytes(StandardCharsets.UTF_8)).toList();
    private static final byte[] PATH = name(":path");
    private static final byte[] METHOD = name(":method");
    private static final byte[] CONTENT_TYPE = name("content-type");
    private static final byte[] CONTENT_ENCODING = name("content-encoding");
    private static final byte[] CONTENT_LENGTH = name("content-length");
    private static final byte[] UPGRADE = name("upgrade");
    private static final byte[] POOL = name(POOL_HEADER);

    static RequestHead of(WireHeaders headers) {
        String path = "";
        String method = null;
        String type = null;
        String encoding = null;
        String pool = null;
        long length = -1;
        boolean upgrade = false;
        List<String> remove = List.of();
        for (int i = 0; i < headers.count(); i++) {
            switch (headers.nameLength(i)) {
                case 5 -> path = headers.isNamed(i, PATH) ? headers.value(i) : path;
                case 7 -> {
                    method = headers.isNamed(i, METHOD) ? headers.value(i) : method;
                    upgrade |= headers.isNamed(i, UPGRADE);
                }
                case 12 -> type = headers.isNamed(i, CONTENT_TYPE) ? headers.value(i) : type;
                case 14 -> length = headers.isNamed(i, CONTENT_LENGTH) ? number(headers.value(i)) : length;
                default -> {
                    if (headers.nameLength(i) == 16) {
                        encoding = headers.isNamed(i, CONTENT_ENCODING) ? headers.value(i) : encoding;
                        pool = headers.isNamed(i, POOL) ? headers.value(i) : pool;
                    }
                    remove = withControl(headers, i, remove);
                }
            }
        }
        boolean tunnel = "CONNECT".equals(method) || (upgrade && "GET".equals(method));
        return new RequestHead(path, method, type, encoding, length, tunnel, pool, remove);
    }

    private static List<String> withControl(WireHeaders headers, int index, List<String> before) {
        if (headers.nameLength(index) < 15 || headers.firstOfName(index) != 'x') {
            return before;
        }
        for (int c = 0; c < CONTROL_BYTES.size(); c++) {
            if (headers.isNamed(index, CONTROL_BYTES.get(c)) && !before.contains(CONTROL.get(c))) {
                List<String> longer = new ArrayList<>(before);
                longer.add(CONTROL.get(c));
                return longer;
            }
        }
        return before;
    }

    /** Whether the body is to be read as JSON. */
    boolean isJson() {
        if (!"POST".equals(method) && method != null) {
            return false;
        }
        String type = contentType;
        return type == null || type.isEmpty() || type.toLowerCase(Locale.ROOT).contains("json");
    }

    boolean isGrpc() {
        String type = contentType;
        return type != null && type.startsWith("application/grpc");
    }

    /** The coding of the body, in lower case; null if it is plain. */
    @Nullable
    String coding() {
        String encoding = contentEncoding;
        if (encoding == null || encoding.isBlank() || encoding.strip().equalsIgnoreCase("identity")) {
            return null;
        }
        return encoding.strip().toLowerCase(Locale.ROOT);
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text.strip());
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private static byte[] name(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
