package dev.plainsail.webhook.plan;

import dev.plainsail.dra.Quantity;
import dev.plainsail.webhook.plan.Intent.ClaimSource;
import dev.plainsail.webhook.workload.ContainerView.Place;
import dev.plainsail.webhook.workload.Slot;
import java.util.List;

/** One thing that is done to a pod: what, never where in the JSON. */
public sealed interface Change {

    /** An entry in the pod's {@code resourceClaims}, used by these containers. */
    record UseClaim(ClaimSource source, List<Place> containers) implements Change {
        public UseClaim {
            containers = List.copyOf(containers);
        }
    }

    /** A replacement: an extended resource leaves limits and requests, because a claim gives the devices. */
    record TakeOutResource(Place container, String resource) implements Change {}

    /**
     * Words for the engine. In a shell text they are quoted for the shell, which is a replacement of that text.
     *
     * @param imageCommand the image's own CMD, written in front because {@code args} would otherwise replace it
     */
    record AddArguments(Place container, Slot slot, List<String> words, List<String> imageCommand) implements Change {
        public AddArguments {
            words = List.copyOf(words);
            imageCommand = List.copyOf(imageCommand);
        }
    }

    /** A replacement: {@code command} gets a shell script in front, which runs what was there. */
    record WrapCommand(Place container, String shell, String script) implements Change {}

    /** A variable that was not there. */
    record AddVariable(Place container, String name, Value value) implements Change {
        public sealed interface Value {
            record Text(String text) implements Value {}

            /** From a field of the pod, as {@code status.podIP}. */
            record Field(String path) implements Value {}
        }
    }

    /** A replacement: the value of a path variable, with folders in front. */
    record PrependPath(Place container, int variable, String name, String value) implements Change {}

    record SetLabel(String key, String value) implements Change {}

    record SetAnnotation(String key, String value) implements Change {}

    /** {@code /dev/shm} of that size, in memory. */
    record AddSharedMemory(Place container, String volume, Quantity size) implements Change {}

    record AddProbe(Place container, Kind kind, String scheme, int port, int periodSeconds, int failureThreshold)
            implements Change {
        public enum Kind {
            STARTUP("startupProbe"),
            READINESS("readinessProbe");

            private final String field;

            Kind(String field) {
                this.field = field;
            }

            public String field() {
                return field;
            }
        }
    }

    /** A replacement where the API's default of 30 stands. */
    record SetGrace(long seconds) implements Change {}

    record AddPreStopSleep(Place container, long seconds) implements Change {}

    /** A replacement where the API's default of true stands. */
    record SwitchOffServiceLinks() implements Change {}
}
