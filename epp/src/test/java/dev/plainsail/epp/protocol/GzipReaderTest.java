package dev.plainsail.epp.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** EPP-47: compressed request bodies are read for the decision and nothing else. */
final class GzipReaderTest {
    private static final String CHAT =
            "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"" + "hello world ".repeat(200) + "\"}]}";

    private static byte[] gzip(byte[] text) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(text);
        }
        return out.toByteArray();
    }

    @Test
    void aCompressedBodySaysTheSameAsAPlainOneWhereverItIsCut() throws IOException {
        byte[] plain = CHAT.getBytes(StandardCharsets.UTF_8);
        BodyReader expected = new BodyReader(2048);
        expected.read(plain, 0, plain.length);
        expected.end();
        byte[] packed = gzip(plain);
        for (int cut = 0; cut <= packed.length; cut++) {
            BodyReader reader = new BodyReader(2048);
            try (GzipReader gzip = new GzipReader(1 << 20)) {
                gzip.read(packed, 0, cut, reader);
                gzip.read(packed, cut, packed.length, reader);
                assertThat(gzip.isWhole()).isTrue();
            }
            reader.end();
            assertThat(reader.facts()).isEqualTo(expected.facts());
        }
    }

    @Test
    void bombsCutStreamsAndOtherCodingsAreLeftAlone() throws IOException {
        byte[] bomb = gzip(new byte[50 << 20]);
        assertThat(bomb.length).isLessThan(60_000);
        assertThat(isWhole(bomb, 1 << 20)).isFalse();
        byte[] packed = gzip(CHAT.getBytes(StandardCharsets.UTF_8));
        assertThat(isWhole(Arrays.copyOf(packed, packed.length / 2), 1 << 20)).isFalse();
        assertThat(isWhole("no gzip at all, but long enough".getBytes(StandardCharsets.UTF_8), 1 << 20))
                .isFalse();
        assertThat(isWhole(gzip(packed), 1 << 20)).isTrue();
    }

    private static boolean isWhole(byte[] bytes, long limit) {
        try (GzipReader gzip = new GzipReader(limit)) {
            gzip.read(bytes, 0, bytes.length, new BodyReader(2048));
            return gzip.isWhole();
        }
    }
}
