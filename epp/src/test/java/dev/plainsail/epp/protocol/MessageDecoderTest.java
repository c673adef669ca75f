package dev.plainsail.epp.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.HeaderMap;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.config.core.v3.Metadata;
import io.envoyproxy.envoy.extensions.filters.http.ext_proc.v3.ProcessingMode.BodySendMode;
import io.envoyproxy.envoy.service.ext_proc.v3.HttpBody;
import io.envoyproxy.envoy.service.ext_proc.v3.HttpHeaders;
import io.envoyproxy.envoy.service.ext_proc.v3.HttpTrailers;
import io.envoyproxy.envoy.service.ext_proc.v3.ProcessingRequest;
import io.envoyproxy.envoy.service.ext_proc.v3.ProcessingRequest.RequestCase;
import io.envoyproxy.envoy.service.ext_proc.v3.ProtocolConfiguration;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The decoder against protobuf-java, on messages that no proxy would write but that say the same. */
final class MessageDecoderTest {
    private final MessageDecoder decoder = new MessageDecoder(new Chunks(64));

    @Test
    void agreesWithProtobufOnAnyMessage() throws IOException {
        SplittableRandom random = new SplittableRandom(20261130);
        for (int i = 0; i < 6_000; i++) {
            byte[] bytes = new Odd(random).message(random(random));
            assertThat(describe(decode(bytes)))
                    .as("message %d", i)
                    .isEqualTo(describe(ProcessingRequest.parseFrom(bytes)));
        }
    }

    @Test
    void agreesWithProtobufOnWhetherCutMessagesAreReadable() {
        SplittableRandom random = new SplittableRandom(7);
        int unreadable = 0;
        for (int i = 0; i < 3_000; i++) {
            byte[] whole = new Odd(random).message(random(random));
            byte[] cut = Arrays.copyOf(whole, random.nextInt(whole.length + 1));
            FromProxy read = decode(cut);
            if (read instanceof FromProxy.Unreadable) {
                unreadable++;
            }
            if (isReadable(cut)) {
                assertThat(describe(read)).isEqualTo(describe(parse(cut)));
            }
        }
        assertThat(unreadable).isGreaterThan(500);
    }

    @Test
    void largeBodiesComeInChunksOfTheFreeListWhateverTheirSize() throws IOException {
        for (int size :
                new int[] {4000, 4097, Chunks.BYTES - 1, Chunks.BYTES, Chunks.BYTES + 1, 62_000, 1 << 20, (1 << 21) + 7
                }) {
            byte[] body = new byte[size];
            new SplittableRandom(size).nextBytes(body);
            ProcessingRequest message = Messages.requestBody(ByteString.copyFrom(body), size % 2 == 0);
            FromProxy.RequestBody read = (FromProxy.RequestBody) decode(message.toByteArray());
            assertThat(read.piece().toByteArray()).isEqualTo(body);
            assertThat(read.end()).isEqualTo(size % 2 == 0);
            read.piece().release(new Chunks(64));
        }
    }

    @Test
    void subsetHintsAreReadInEveryFormThatGatewaysSend() {
        assertThat(subset(Messages.list(List.of("10.0.0.1:8000", " 10.0.0.2:8000 "))))
                .containsExactly("10.0.0.1:8000", "10.0.0.2:8000");
        assertThat(subset(Messages.text("10.0.0.1:8000, 10.0.0.2"))).containsExactly("10.0.0.1:8000", "10.0.0.2");
        assertThat(subset(Messages.list(List.of("a:1,b:2", ",", "c:3")))).containsExactly("a:1", "b:2", "c:3");
        assertThat(subset(Messages.list(List.of()))).isEmpty();
        assertThat(subset(Messages.text(""))).isEmpty();
        FromProxy.RequestHeaders without =
                (FromProxy.RequestHeaders) decode(Messages.requestHeaders(BodySendMode.NONE, BodySendMode.NONE, true)
                        .toByteArray());
        assertThat(without.hints().subset()).isNull();
    }

    private @Nullable List<String> subset(Value value) {
        ProcessingRequest message =
                Messages.requestHeaders(BodySendMode.NONE, BodySendMode.NONE, true, ":path", "/").toBuilder()
                        .setMetadataContext(Messages.metadata(
                                "envoy.lb.subset_hint", "x-gateway-destination-endpoint-subset", value))
                        .build();
        return ((FromProxy.RequestHeaders) decode(message.toByteArray()))
                .hints()
                .subset();
    }

    private FromProxy decode(byte[] bytes) {
        try {
            return decoder.decode(new ByteArrayInputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isReadable(byte[] bytes) {
        try {
            return ProcessingRequest.parseFrom(bytes).getSerializedSize() >= 0;
        } catch (InvalidProtocolBufferException e) {
            return false;
        }
    }

    private static ProcessingRequest parse(byte[] bytes) {
        try {
            return ProcessingRequest.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- the same words for both sides

    private static String describe(FromProxy message) {
        return switch (message) {
            case FromProxy.RequestHeaders m ->
                "request headers " + headers(m.headers()) + m.end() + m.modes() + m.observing();
            case FromProxy.ResponseHeaders m -> "response headers " + headers(m.headers()) + m.end();
            case FromProxy.RequestBody m -> "request body " + text(m.piece().toByteArray()) + m.end();
            case FromProxy.ResponseBody m -> "response body " + text(m.piece().toByteArray()) + m.end();
            case FromProxy.RequestTrailers _ -> "request trailers";
            case FromProxy.ResponseTrailers _ -> "response trailers";
            case FromProxy.Other _ -> "other";
            case FromProxy.Unreadable m -> "unreadable " + m.problem();
        };
    }

    private static String describe(ProcessingRequest message) {
        return switch (message.getRequestCase()) {
            case REQUEST_HEADERS ->
                "request headers " + headers(message.getRequestHeaders()) + modes(message)
                        + message.getObservabilityMode();
            case RESPONSE_HEADERS -> "response headers " + headers(message.getResponseHeaders());
            case REQUEST_BODY ->
                "request body " + text(message.getRequestBody().getBody().toByteArray())
                        + message.getRequestBody().getEndOfStream();
            case RESPONSE_BODY ->
                "response body " + text(message.getResponseBody().getBody().toByteArray())
                        + message.getResponseBody().getEndOfStream();
            case REQUEST_TRAILERS -> "request trailers";
            case RESPONSE_TRAILERS -> "response trailers";
            case REQUEST_NOT_SET -> "other";
        };
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static Map<String, String> headers(WireHeaders headers) {
        return new LinkedHashMap<>(headers);
    }

    private static String headers(HttpHeaders headers) {
        Map<String, String> all = new LinkedHashMap<>();
        for (HeaderValue each : headers.getHeaders().getHeadersList()) {
            String value = each.getRawValue().isEmpty()
                    ? each.getValue()
                    : each.getRawValue().toStringUtf8();
            all.merge(each.getKey(), value, (a, b) -> a + "," + b);
        }
        return all.toString() + headers.getEndOfStream();
    }

    private static String modes(ProcessingRequest message) {
        if (!message.hasProtocolConfig()) {
            return "null";
        }
        ProtocolConfiguration config = message.getProtocolConfig();
        return "BodyModes[request=" + config.getRequestBodyMode() + ", response=" + config.getResponseBodyMode() + "]";
    }

    // ---- random messages

    private static ProcessingRequest random(SplittableRandom random) {
        ProcessingRequest.Builder message = ProcessingRequest.newBuilder();
        switch (random.nextInt(7)) {
            case 0 -> message.setRequestHeaders(randomHeaders(random));
            case 1 -> message.setResponseHeaders(randomHeaders(random));
            case 2 -> message.setRequestBody(randomBody(random));
            case 3 -> message.setResponseBody(randomBody(random));
            case 4 -> message.setRequestTrailers(HttpTrailers.newBuilder().setTrailers(randomMap(random)));
            case 5 -> message.setResponseTrailers(HttpTrailers.newBuilder().setTrailers(randomMap(random)));
            default -> {}
        }
        if (random.nextInt(3) == 0) {
            message.setMetadataContext(Metadata.newBuilder()
                    .mergeFrom(Messages.metadata("envoy.lb", randomText(random), Messages.text(randomText(random)))));
        }
        if (random.nextInt(3) == 0) {
            message.setProtocolConfig(ProtocolConfiguration.newBuilder()
                    .setRequestBodyMode(BodySendMode.forNumber(random.nextInt(5)))
                    .setResponseBodyMode(BodySendMode.forNumber(random.nextInt(5))));
        }
        if (random.nextInt(10) == 0) {
            message.setObservabilityMode(true);
        }
        return message.build();
    }

    private static HttpHeaders randomHeaders(SplittableRandom random) {
        return HttpHeaders.newBuilder()
                .setHeaders(randomMap(random))
                .setEndOfStream(random.nextBoolean())
                .build();
    }

    private static HeaderMap randomMap(SplittableRandom random) {
        HeaderMap.Builder map = HeaderMap.newBuilder();
        for (int i = random.nextInt(40); i > 0; i--) {
            HeaderValue.Builder header = HeaderValue.newBuilder().setKey(randomText(random));
            if (random.nextBoolean()) {
                header.setRawValue(ByteString.copyFromUtf8(randomText(random)));
            }
            if (random.nextInt(4) == 0) {
                header.setValue(randomText(random));
            }
            map.addHeaders(header);
        }
        return map.build();
    }

    private static HttpBody randomBody(SplittableRandom random) {
        int size = random.nextInt(4) == 0 ? random.nextInt(100_000) : random.nextInt(6_000);
        byte[] body = new byte[size];
        random.nextBytes(body);
        return HttpBody.newBuilder()
                .setBody(ByteString.copyFrom(body))
                .setEndOfStream(random.nextBoolean())
                .build();
    }

    private static String randomText(SplittableRandom random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            text.append((char) (random.nextInt(10) == 0 ? 'à' + random.nextInt(30) : 'a' + random.nextInt(4)));
        }
        return text.toString();
    }

    /** Writes a message in another way than protobuf would: fields shuffled, split in two, unknown ones in between. */
    private static final class Odd {
        private final SplittableRandom random;

        Odd(SplittableRandom random) {
            this.random = random;
        }

        byte[] message(ProcessingRequest message) {
            List<byte[]> parts = new ArrayList<>();
            switch (message.getRequestCase()) {
                case REQUEST_BODY -> body(4, message.getRequestBody(), parts);
                case RESPONSE_BODY -> body(5, message.getResponseBody(), parts);
                default ->
                    parts.add(message.toBuilder()
                            .clearMetadataContext()
                            .clearProtocolConfig()
                            .clearObservabilityMode()
                            .build()
                            .toByteArray());
            }
            parts.add(message.toBuilder().clearRequest().build().toByteArray());
            if (random.nextInt(3) == 0) {
                parts.add(random.nextInt(parts.size() + 1), unknown());
            }
            if (random.nextInt(4) == 0) {
                Collections.shuffle(parts, new Random(random.nextLong()));
            }
            if (random.nextInt(8) == 0 && message.getRequestCase() != RequestCase.REQUEST_NOT_SET) {
                boolean body = message.getRequestCase() == RequestCase.REQUEST_BODY;
                parts.addFirst(
                        (body ? Messages.responseTrailers() : Messages.requestBody("overridden", true)).toByteArray());
            }
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            parts.forEach(all::writeBytes);
            return all.toByteArray();
        }

        private void body(int field, HttpBody body, List<byte[]> parts) {
            if (random.nextInt(3) > 0) {
                parts.add(field(field, body.toByteArray()));
                return;
            }
            // The end mark first, an unknown field, then the body; or both in messages of their own, which are merged.
            byte[] end = body.getEndOfStream() ? new byte[] {0x10, 0x01} : new byte[0];
            byte[] bytes = field(1, body.getBody().toByteArray());
            if (random.nextBoolean()) {
                parts.add(field(field, concat(end, unknown(), bytes)));
            } else {
                parts.add(field(field, concat(bytes, unknown())));
                parts.add(field(field, end));
            }
        }

        private byte[] unknown() {
            byte[] content = new byte[random.nextInt(20)];
            random.nextBytes(content);
            return switch (random.nextInt(4)) {
                case 0 -> field(500 + random.nextInt(10), content);
                case 1 -> write(out -> out.writeUInt64(77, random.nextLong()));
                case 2 -> write(out -> out.writeFixed64(78, random.nextLong()));
                default -> write(out -> out.writeFixed32(79, random.nextInt()));
            };
        }

        private static byte[] field(int number, byte[] content) {
            return write(out -> out.writeByteArray(number, content));
        }

        private static byte[] concat(byte[]... parts) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (byte[] part : parts) {
                all.writeBytes(part);
            }
            return all.toByteArray();
        }

        private interface Writing {
            void to(CodedOutputStream out) throws IOException;
        }

        private static byte[] write(Writing writing) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            CodedOutputStream out = CodedOutputStream.newInstance(bytes);
            try {
                writing.to(out);
                out.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return bytes.toByteArray();
        }
    }
}
