package dev.plainsail.epp.datalayer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ResponseBuffersTest {
    private final ResponseBuffers buffers = new ResponseBuffers();
    private final Set<byte[]> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    @Test
    void thousandEnginesOneAfterTheOtherShareOneBuffer() throws IOException {
        RawResponse[] engines = new RawResponse[1000];
        for (int i = 0; i < engines.length; i++) {
            engines[i] = new RawResponse(buffers);
        }
        int[] lengths = new Random(7).ints(2L * engines.length, 0, 60_000).toArray();
        // The largest first: it is the one that is kept.
        lengths[0] = 60_000;
        for (int i = 0; i < lengths.length; i++) {
            RawResponse response = engines[i % engines.length];
            response.reset();
            String body = Integer.toString(i % 10).repeat(lengths[i]);
            feed(response, "HTTP/1.1 200 OK\r\nContent-Length: " + lengths[i] + "\r\n\r\n" + body);
            assertThat(body(response)).isEqualTo(body);
            seen.add(response.bytes());
            response.release();
            response.release();
        }
        assertThat(seen).hasSize(1);
    }

    @Test
    void responsesUnderWayAtTheSameTimeHaveBuffersOfTheirOwn() throws IOException {
        RawResponse one = new RawResponse(buffers);
        RawResponse two = new RawResponse(buffers);
        one.reset();
        two.reset();
        feed(one, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na");
        feed(two, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nxyz");
        feed(one, "bc");
        assertThat(body(one)).isEqualTo("abc");
        assertThat(body(two)).isEqualTo("xyz");
    }

    @Test
    void bufferOfAnExceptionIsNotKept() {
        byte[] huge = new byte[RawResponse.MAX_BYTES];
        buffers.give(huge);
        assertThat(buffers.take()).isNotSameAs(huge);
    }

    private static void feed(RawResponse response, String text) throws IOException {
        response.feed(ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)));
    }

    private static String body(RawResponse response) {
        assertThat(response.complete()).isTrue();
        return new String(
                response.bytes(),
                response.bodyStart(),
                response.bodyEnd() - response.bodyStart(),
                StandardCharsets.ISO_8859_1);
    }
}
