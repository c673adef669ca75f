package dev.plainsail.dra;

import java.util.List;
import java.util.OptionalLong;

/** One line of a claim: either exactly these devices, or the first of several alternatives that can be had. */
public sealed interface DeviceRequest {

    /** Unique in the claim, a DNS label. */
    String name();

    /** What may be given for this request, in order of preference; one for {@link Exactly}. */
    List<DeviceSelection> selections();

    record Exactly(String name, DeviceSelection selection) implements DeviceRequest {
        @Override
        public List<DeviceSelection> selections() {
            return List.of(selection);
        }
    }

    record FirstAvailable(String name, List<Alternative> alternatives) implements DeviceRequest {
        public FirstAvailable {
            alternatives = List.copyOf(alternatives);
            if (alternatives.isEmpty()) {
                throw new IllegalArgumentException("request " + name + " has no alternative");
            }
        }

        @Override
        public List<DeviceSelection> selections() {
            return alternatives.stream().map(Alternative::selection).toList();
        }
    }

    /** One entry of {@code firstAvailable}; constraints refer to it as {@code request/name}. */
    record Alternative(String name, DeviceSelection selection) {}

    /** How many devices the request gives: empty for {@code All} and for alternatives of differing counts. */
    default OptionalLong count() {
        List<OptionalLong> counts = selections().stream()
                .map(selection -> selection.allocation().count())
                .distinct()
                .toList();
        return counts.size() == 1 ? counts.getFirst() : OptionalLong.empty();
    }
}
