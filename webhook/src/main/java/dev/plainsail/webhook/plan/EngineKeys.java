package dev.plainsail.webhook.plan;

import dev.plainsail.webhook.plan.Intent.Asked;
import dev.plainsail.webhook.plan.Intent.KvEvents;
import dev.plainsail.webhook.plan.Intent.Role;
import java.util.Optional;
import java.util.stream.Stream;

/** The annotations that become engine arguments. */
final class EngineKeys {

    private EngineKeys() {}

    /** Those that were asked for; a port or a role may be true of a pod without becoming an argument. */
    static Stream<Written> asked(Intent intent) {
        Optional<Asked<KvEvents>> events = intent.kvEvents().filter(asked -> asked.value() instanceof KvEvents.On);
        Optional<Asked<Role>> role = intent.role().filter(asked -> asked.value() != Role.BOTH);
        return Stream.of(
                        intent.model().map(Asked::written),
                        intent.parallelism().map(Asked::written),
                        intent.kvTransfer().map(Asked::written),
                        events.map(Asked::written),
                        role.map(Asked::written),
                        intent.engineArgs().map(Asked::written))
                .flatMap(Optional::stream);
    }
}
