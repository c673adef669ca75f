package dev.plainsail.epp.configuration;

import dev.plainsail.epp.scheduling.Profile;
import dev.plainsail.epp.scheduling.Scheduler;
import dev.plainsail.epp.scheduling.SingleProfileScheduler;
import dev.plainsail.epp.scheduling.picker.MaxScorePicker;
import java.util.List;

/** A configuration that was checked: from it the rules of each pool are made. */
public final class PickerConfiguration {
    /** What comes of a text: one of the two is empty. */
    public sealed interface Result {
        record Valid(PickerConfiguration configuration) implements Result {}

        record Invalid(List<Problem> problems) implements Result {
            public Invalid {
                problems = List.copyOf(problems);
            }
        }
    }

    private PickerConfiguration() {}

    /** The configuration of a picker that was given none. */
    public static PickerConfiguration builtIn() {
        return new PickerConfiguration();
    }

    /** @param yaml an EndpointPickerConfig */
    public static Result read(String yaml) {
        return new Result.Invalid(List.of(new Problem("", "not read yet: " + yaml.length() + " characters")));
    }

    /** New rules, with state of their own, for one pool. */
    public Scheduler scheduler() {
        return new SingleProfileScheduler(
                new Profile("default", List.of(), List.of(), new MaxScorePicker(), 1), List.of());
    }

    /** The configuration in effect, defaults filled in, as YAML. */
    public String effective() {
        return "";
    }
}
