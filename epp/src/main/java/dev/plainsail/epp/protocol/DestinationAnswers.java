package dev.plainsail.epp.protocol;

import dev.plainsail.epp.pool.Endpoint;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The answers that name an endpoint, kept ready by its slot: of most requests only the ticket, the last eight bytes, is
 * new. A slot that was given to another endpoint is noticed by its address. Used by its own loop only.
 */
final class DestinationAnswers {
    private record Ready(InetSocketAddress address, String pool, RoutedTemplate routed, Answer responseHeaders) {}

    /** An answer whose last eight bytes are the ticket. */
    private static final class RoutedTemplate {
        private final byte[] bytes;

        RoutedTemplate(byte[] bytes) {
            this.bytes = bytes;
        }

        Answer with(long ticket) {
            byte[] patched = bytes.clone();
            long bits = Double.doubleToRawLongBits((double) ticket);
            for (int i = 0; i < Double.BYTES; i++) {
                patched[patched.length - Double.BYTES + i] = (byte) (bits >>> (8 * i));
            }
            return new FixedAnswer(patched);
        }
    }

    private final List<@Nullable Ready> bySlot = new ArrayList<>();

    /**
     * @param inOrder the chosen endpoint and its fallbacks
     * @param told response headers for the client
     */
    Answer routed(List<Endpoint> inOrder, long ticket, List<String> remove, Map<String, String> told) {
        if (inOrder.size() > 1 || !remove.isEmpty() || !told.isEmpty()) {
            return new FixedAnswer(Answers.routed(1, destination(inOrder, told), ticket, remove, null, false));
        }
        return ready(inOrder.getFirst()).routed.with(ticket);
    }

    Answer responseHeaders(Endpoint endpoint) {
        return ready(endpoint).responseHeaders;
    }

    static Destination destination(List<Endpoint> inOrder, Map<String, String> told) {
        StringJoiner joined = new StringJoiner(",");
        for (Endpoint endpoint : inOrder) {
            joined.add(endpoint.hostPort());
        }
        return new Destination(joined.toString(), inOrder.getFirst().pool(), told);
    }

    private Ready ready(Endpoint endpoint) {
        int slot = endpoint.slot();
        while (bySlot.size() <= slot) {
            bySlot.add(null);
        }
        Ready ready = bySlot.get(slot);
        if (ready == null || !ready.address.equals(endpoint.address()) || !ready.pool.equals(endpoint.pool())) {
            String hostPort = endpoint.hostPort();
            ready = new Ready(
                    endpoint.address(),
                    endpoint.pool(),
                    new RoutedTemplate(
                            Answers.routed(1, destination(List.of(endpoint), Map.of()), 0, List.of(), null, false)),
                    new FixedAnswer(Answers.responseHeaders(hostPort, Map.of())));
            bySlot.set(slot, ready);
        }
        return ready;
    }
}
