package dev.plainsail.epp.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.plainsail.epp.protocol.BodyFacts.Span;
import io.envoyproxy.envoy.service.ext_proc.v3.ProcessingResponse;
import io.envoyproxy.envoy.service.ext_proc.v3.StreamedBodyResponse;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Bodies that are held, spliced and sent back, as protobuf-java reads them. */
final class HeldBodyTest {
    private final Chunks chunks = new Chunks(64);
    private final BodyAnswer answer = new BodyAnswer();

    @Test
    void whatGoesInComesOutInPiecesOfAnySize() throws InvalidProtocolBufferException {
        SplittableRandom random = new SplittableRandom(9);
        for (int round = 0; round < 300; round++) {
            HeldBody body = new HeldBody();
            ByteArrayOutputStream expected = new ByteArrayOutputStream();
            ByteArrayOutputStream got = new ByteArrayOutputStream();
            boolean ended = false;
            for (int i = random.nextInt(12); i >= 0; i--) {
                byte[] bytes = new byte[random.nextInt(70_000)];
                random.nextBytes(bytes);
                body.add(new Piece(bytes, 0, bytes.length));
                expected.writeBytes(bytes);
                while (body.left() > 0 && random.nextInt(3) > 0) {
                    ended = take(body, 1 + random.nextInt(BodyAnswer.MOST_BYTES), got);
                }
            }
            while (body.left() > 0) {
                ended = take(body, BodyAnswer.MOST_BYTES, got);
            }
            assertThat(got.toByteArray()).isEqualTo(expected.toByteArray());
            assertThat(body.received()).isEqualTo(expected.size());
            assertThat(body.held()).isZero();
            assertThat(ended || expected.size() == 0).isTrue();
        }
    }

    private boolean take(HeldBody body, int limit, ByteArrayOutputStream into) throws InvalidProtocolBufferException {
        body.take(answer, limit, chunks);
        answer.finish(3, body.left() == 0);
        byte[] bytes = answer.toByteArray();
        assertThat(bytes).hasSize(answer.size());
        answer.clear(chunks);
        StreamedBodyResponse piece = ProcessingResponse.parseFrom(bytes)
                .getRequestBody()
                .getResponse()
                .getBodyMutation()
                .getStreamedResponse();
        assertThat(piece.getBody().size()).isBetween(1, limit);
        into.writeBytes(piece.getBody().toByteArray());
        return piece.getEndOfStream();
    }

    @Test
    void lengthsAroundTheBordersOfVarintsAreRight() throws InvalidProtocolBufferException {
        for (int size : new int[] {0, 1, 110, 111, 118, 119, 127, 128, 16_370, 16_383, 16_384, 61_999, 62_000}) {
            for (boolean end : new boolean[] {true, false}) {
                byte[] bytes = new byte[size];
                answer.add(bytes, 0, size);
                byte[] written = answer.finish(4, end).toByteArray();
                answer.clear(chunks);
                StreamedBodyResponse piece = ProcessingResponse.parseFrom(written)
                        .getResponseBody()
                        .getResponse()
                        .getBodyMutation()
                        .getStreamedResponse();
                assertThat(piece.getBody().size()).isEqualTo(size);
                assertThat(piece.getEndOfStream()).isEqualTo(end);
            }
        }
    }

    @Test
    void epp23_splicingChangesTheValuesAndNothingElse() {
        String text =
                "{ \"model\" :   \"m\" , \"prompt\" : \"caf\\u00e9\", \"seed\": 12345678901234567890, \"model\":\"m\"}";
        int first = text.indexOf("\"m\"");
        int last = text.lastIndexOf("\"m\"");
        String expected = text.substring(0, first) + "\"longer/name\"" + text.substring(first + 3, last)
                + "\"longer/name\"" + text.substring(last + 3);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int cut = 1; cut < bytes.length; cut++) {
            HeldBody body = new HeldBody();
            body.add(new Piece(bytes, 0, cut));
            body.add(new Piece(bytes, cut, bytes.length));
            body.replace(List.of(new Span(first, first + 3), new Span(last, last + 3)), Rewrite.value("longer/name"));
            assertThat(new String(body.toByteArray(), StandardCharsets.UTF_8))
                    .as("cut at %d", cut)
                    .isEqualTo(expected);
            assertThat(body.left()).isEqualTo(expected.length());
        }
    }

    @Test
    void chunksGoBackToTheFreeListOnceAndNeverWhileTheyAreUsed() {
        byte[] chunk = chunks.take();
        HeldBody body = new HeldBody();
        body.add(new Piece(chunk, 0, Chunks.BYTES));
        body.take(answer, 100, chunks);
        answer.finish(3, false);
        answer.clear(chunks);
        assertThat(chunks.take()).isNotSameAs(chunk);
        body.take(answer, Chunks.BYTES, chunks);
        answer.finish(3, true);
        answer.clear(chunks);
        assertThat(chunks.take()).isSameAs(chunk);
        body.release(chunks);
        assertThat(chunks.take()).isNotSameAs(chunk);
    }

    @Test
    void deadlinesPassInTheirOrderAndOnlyThoseThatAreStillWaiting() {
        List<String> passed = new ArrayList<>();
        Deadlines deadlines = new Deadlines(100);
        Deadlines.Node a = new Deadlines.Node(() -> passed.add("a"));
        Deadlines.Node b = new Deadlines.Node(() -> passed.add("b"));
        Deadlines.Node c = new Deadlines.Node(() -> passed.add("c"));
        deadlines.put(a, 0);
        deadlines.put(b, 10);
        deadlines.put(c, 20);
        deadlines.put(a, 30);
        deadlines.remove(b);
        deadlines.expire(119);
        assertThat(passed).isEmpty();
        deadlines.expire(125);
        assertThat(passed).containsExactly("c");
        deadlines.remove(c);
        deadlines.expire(130);
        assertThat(passed).containsExactly("c", "a");
        assertThat(deadlines.isEmpty()).isTrue();
    }
}
