package dev.plainsail.epp.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.epp.routing.InFlight;
import dev.plainsail.epp.routing.Reason;
import dev.plainsail.epp.routing.Verdict;
import dev.plainsail.epp.scheduling.InferenceRequest;
import io.envoyproxy.envoy.extensions.filters.http.ext_proc.v3.ProcessingMode.BodySendMode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ManyLargeBodiesTest {
    private static final int STREAMS = 300;
    private static final int BODY_BYTES = 6 << 20;
    private static final long BUDGET = 64 << 20;

    private final Map<Reason, Integer> refused = new EnumMap<>(Reason.class);
    private int forwarded;

    @Test
    void epp29ThreeHundredBodiesOfSixMegabytesStayWithinTheBudget() throws IOException {
        ProtocolSettings settings = new ProtocolSettings(32 << 20, BUDGET, Duration.ofSeconds(60), true, false);
        LoopState loop = new LoopState(settings, () -> 1, task -> {});
        ExtProc shared = new ExtProc(
                (request, verdict) -> verdict.accept(
                        new Verdict.Forward(List.of(Script.endpoint(0, "10.0.0.1:8000")), null, new NoBooking())),
                (ticket, outcome) -> {},
                new Tally(),
                settings,
                1,
                () -> 1);
        byte[] headers = Messages.chatHeaders(BodySendMode.FULL_DUPLEX_STREAMED, BodySendMode.NONE)
                .toByteArray();
        List<ExtProcStream> streams = new ArrayList<>();
        for (int i = 0; i < STREAMS; i++) {
            ExtProcStream stream = new ExtProcStream(shared, loop, new OpenLine());
            stream.on(loop.decoder.decode(new ByteArrayInputStream(headers)));
            streams.add(stream);
        }
        for (int sent = 0; sent < BODY_BYTES; sent += Chunks.BYTES) {
            boolean first = sent == 0;
            boolean last = sent + Chunks.BYTES >= BODY_BYTES;
            for (ExtProcStream stream : streams) {
                stream.on(new FromProxy.RequestBody(piece(loop.chunks, first, last), last));
                assertThat(shared.budget.used()).isLessThanOrEqualTo(BUDGET);
            }
        }
        assertThat(refused.keySet()).containsExactly(Reason.MEMORY_FULL);
        assertThat(forwarded).as("those that fit go on").isGreaterThanOrEqualTo((int) (BUDGET / BODY_BYTES) / 2);
        assertThat(forwarded + refused.getOrDefault(Reason.MEMORY_FULL, 0)).isEqualTo(STREAMS);
        streams.forEach(ExtProcStream::cancelled);
        assertThat(shared.budget.used()).isZero();
    }

    /** A message with one image as a data URL. */
    private static Piece piece(Chunks chunks, boolean first, boolean last) {
        byte[] chunk = chunks.take();
        Arrays.fill(chunk, (byte) 'A');
        put(
                first
                        ? "{\"model\":\"m\",\"messages\":[{\"content\":[{\"image_url\":{\"url\":\"data:image/png;base64,"
                        : "",
                chunk,
                0);
        String end = last ? "\"}}]}]}" : "";
        put(end, chunk, Chunks.BYTES - end.length());
        return new Piece(new byte[][] {chunk}, 1, Chunks.BYTES);
    }

    private static void put(String text, byte[] into, int at) {
        for (int i = 0; i < text.length(); i++) {
            into[at + i] = (byte) text.charAt(i);
        }
    }

    private static final class OpenLine implements Line {
        @Override
        public void send(Answer answer) {}

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public boolean inLoop() {
            return true;
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void close() {}

        @Override
        public void refuse(String problem) {
            throw new AssertionError(problem);
        }
    }

    private static final class NoBooking implements InFlight {
        @Override
        public void firstToken() {}

        @Override
        public void ended() {}
    }

    private final class Tally implements StreamEvents {
        @Override
        public void opened() {}

        @Override
        public void refused(Reason reason, @Nullable InferenceRequest request) {
            refused.merge(reason, 1, Integer::sum);
        }

        @Override
        public void forwarded(InferenceRequest request, @Nullable String target, long heldNanos) {
            forwarded++;
        }

        @Override
        public void failed(Throwable cause) {
            throw new AssertionError(cause);
        }

        @Override
        public void violated(String problem) {
            throw new AssertionError(problem);
        }

        @Override
        public void closed() {}
    }
}
