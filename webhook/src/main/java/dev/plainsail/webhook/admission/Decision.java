package dev.plainsail.webhook.admission;

import dev.plainsail.webhook.plan.Problem;
import dev.plainsail.webhook.plan.Warning;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.node.ArrayNode;

/** What becomes of one request. */
public sealed interface Decision {

    List<Warning> warnings();

    /** As a metric label, in the log and in the audit annotation. */
    String label();

    /** Let through as it is. */
    record Unchanged(Why why, List<Warning> warnings) implements Decision {
        public Unchanged {
            warnings = List.copyOf(warnings);
        }

        @Override
        public String label() {
            return "unchanged";
        }
    }

    /**
     * Let through with these operations.
     *
     * @param plan text of the plan annotation, or empty for a workload
     */
    record Patched(ArrayNode operations, String plan, String template, List<Warning> warnings) implements Decision {
        public Patched {
            warnings = List.copyOf(warnings);
        }

        @Override
        public String label() {
            return "patched";
        }
    }

    record Denied(List<Problem> problems, List<Warning> warnings) implements Decision {
        public Denied {
            problems = List.copyOf(problems);
            warnings = List.copyOf(warnings);
        }

        @Override
        public String label() {
            return "denied";
        }
    }

    /**
     * Our own mistake.
     *
     * @param isAllowed workloads pass without us, pods do not, since they would run without their devices
     */
    record Failed(String what, boolean isAllowed, List<Warning> warnings) implements Decision {
        public Failed {
            warnings = List.copyOf(warnings);
        }

        @Override
        public String label() {
            return "failed";
        }
    }

    /** Why nothing is done. */
    enum Why {
        UNKNOWN_KIND,
        NOT_THIS_OPERATION,
        SUBRESOURCE,
        DELETING,
        MIRROR_POD,
        OWNED,
        NOT_ANNOTATED,
        SWITCHED_OFF,
        NOTHING_TO_DO,
        OBSERVING;

        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }
}
