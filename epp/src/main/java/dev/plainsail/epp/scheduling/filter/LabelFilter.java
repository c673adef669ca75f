package dev.plainsail.epp.scheduling.filter;

import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.Filter;
import dev.plainsail.epp.scheduling.InferenceRequest;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Keeps endpoints whose labels satisfy a condition. */
public final class LabelFilter implements Filter {
    /** The label that says which stage of an answer a replica computes. */
    public static final String ROLE = "llm-d.ai/role";

    private final Predicate<Map<String, String>> condition;

    public LabelFilter(Predicate<Map<String, String>> condition) {
        this.condition = condition;
    }

    /** Replicas that decode; one without a role does everything. */
    public static LabelFilter decode() {
        return role(Set.of("decode", "prefill-decode", "both", "encode-prefill-decode"), true);
    }

    public static LabelFilter prefill() {
        return role(Set.of("prefill", "encode-prefill", "prefill-decode", "both", "encode-prefill-decode"), false);
    }

    public static LabelFilter encode() {
        return role(Set.of("encode", "encode-prefill", "encode-prefill-decode"), false);
    }

    /** @param withoutLabel whether an endpoint without the label stays */
    public static LabelFilter oneOf(String label, Set<String> values, boolean withoutLabel) {
        Set<String> valid = Set.copyOf(values);
        return new LabelFilter(labels -> {
            String held = labels.get(label);
            return held == null ? withoutLabel : valid.contains(held);
        });
    }

    private static LabelFilter role(Set<String> roles, boolean withoutRole) {
        return oneOf(ROLE, roles, withoutRole);
    }

    @Override
    public Candidates filter(InferenceRequest request, Candidates candidates) {
        return candidates.where(
                position -> condition.test(candidates.endpoint(position).labels()));
    }
}
