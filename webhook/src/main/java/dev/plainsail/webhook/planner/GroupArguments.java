package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.engine.EngineOption;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.plan.Written;
import dev.plainsail.webhook.workload.GroupPosition;
import java.util.List;
import java.util.Optional;

/**
 * One engine over the pods of a LeaderWorkerSet group: how the pods find each other and which one each is. Only when
 * {@code parallelism} is asked for, and not for a user's own Ray set-up.
 */
final class GroupArguments implements ArgumentSource {

    private static final String LEADER = "$(LWS_LEADER_ADDRESS)";
    /** As in SGLang's documentation. */
    private static final String SGLANG_PORT = ":20000";

    @Override
    public void offer(Subject subject, Offers offers) {
        GroupPosition position = subject.pod().position();
        if (!position.isGroup()
                || subject.intent().parallelism().isEmpty()
                || offers.hasNamed("--distributed-executor-backend")) {
            return;
        }
        Optional<Spread> spread = Spread.of(subject);
        if (spread.isEmpty()) {
            return;
        }
        Written written = subject.intent().parallelism().get().written();
        int index = position.index().orElse(0);
        if (subject.isEngine("sglang")) {
            offers.derived(EngineOption.NODES, Integer.toString(position.size()), written);
            offers.derived(EngineOption.NODE_RANK, Integer.toString(index), written);
            offers.derived(EngineOption.LEADER_ADDRESS, LEADER + SGLANG_PORT, written);
        } else if (spread.get().data() > 1) {
            dataParallel(offers, spread.get(), index, written);
        } else {
            offers.derived(EngineOption.NODES, Integer.toString(position.size()), written);
            offers.derived(EngineOption.NODE_RANK, Integer.toString(index), written);
            offers.derived(EngineOption.LEADER_ADDRESS, LEADER, written);
            headless(offers, index, written);
        }
    }

    /** The leader takes all requests and hands them to ranks in every pod; a start rank on it would make it serve its own only. */
    private static void dataParallel(Offers offers, Spread spread, int index, Written written) {
        if (spread.written().isPresent() && !offers.words().contains("--data-parallel-size-local")) {
            offers.derived(EngineOption.DATA_LOCAL, Integer.toString(spread.dataLocal()), written);
        }
        offers.derived(EngineOption.DATA_ADDRESS, LEADER, written);
        if (index > 0) {
            offers.derived(EngineOption.DATA_START_RANK, Integer.toString(index * spread.dataLocal()), written);
        }
        headless(offers, index, written);
    }

    private static void headless(Offers offers, int index, Written written) {
        if (index > 0) {
            offers.toggle(EngineOption.HEADLESS, true, List.of("--headless"), written);
        }
    }
}
