package dev.plainsail.webhook.templates;

import dev.plainsail.webhook.cluster.ClaimPod;
import dev.plainsail.webhook.cluster.ClaimPods;
import dev.plainsail.webhook.cluster.ClaimTemplates;
import dev.plainsail.webhook.cluster.Cluster;
import dev.plainsail.webhook.cluster.PodSignals;
import dev.plainsail.webhook.cluster.Refused;
import dev.plainsail.webhook.cluster.TemplateKey;
import dev.plainsail.webhook.cluster.TemplateView;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that every template that a labelled pod names exists, and that those which no pod names go after a while.
 * It starts from what exists, never from what it remembers, so it may be stopped and started anywhere.
 */
public final class TemplateController implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TemplateController.class);

    /** When Events were put off: what they are about is looked at again, and may be over by then. */
    private static final Duration WARN_LATER = Duration.ofSeconds(10);

    private final WorkQueue<TemplateKey> queue = new WorkQueue<>(System::nanoTime);
    private final TemplateRules rules;
    private final Clock clock;
    private final ClaimPods pods;
    private final ClaimTemplates templates;
    private final PodSignals signals;
    private final BooleanSupplier leading;
    private final Thread worker;
    private final LongAdder created = new LongAdder();
    private final LongAdder deleted = new LongAdder();
    private final LongAdder failed = new LongAdder();

    /** The namespace whose end was said last; the worker's own. */
    private String lastLeft = "";

    private TemplateController(
            Cluster cluster, String instance, Duration unusedLife, Clock clock, BooleanSupplier leading) {
        this.leading = leading;
        rules = new TemplateRules(unusedLife);
        this.clock = clock;
        pods = new ClaimPods(cluster, queue::add);
        templates = new ClaimTemplates(cluster, queue::add);
        signals = new PodSignals(cluster, instance);
        worker = Thread.ofPlatform().daemon().name("claim-templates").unstarted(this::work);
    }

    /**
     * @param instance which replica this is, for Events
     * @param unusedLife how long a template stays that no pod uses
     * @param leading whether this replica may write; the views are kept in every replica, so that the next leader is warm
     */
    public static TemplateController start(
            Cluster cluster, String instance, Duration unusedLife, Clock clock, BooleanSupplier leading) {
        TemplateController controller = new TemplateController(cluster, instance, unusedLife, clock, leading);
        controller.worker.start();
        return controller;
    }

    /** Looks at every template and every template that a pod names: what a new leader begins with. */
    public void lookAtAll() {
        pods.templates().forEach(queue::add);
        templates.managed().forEach(queue::add);
    }

    /** Both views are complete; before that nothing is created or deleted. */
    public boolean isSynced() {
        return pods.isSynced() && templates.isSynced();
    }

    public long created() {
        return created.sum();
    }

    public long deleted() {
        return deleted.sum();
    }

    public long failed() {
        return failed.sum();
    }

    private void work() {
        try {
            while (!isSynced()) {
                Thread.sleep(20);
            }
            while (true) {
                TemplateKey key = queue.take();
                if (!leading.getAsBoolean()) {
                    // Not lost: leadership begins with a look at everything.
                    continue;
                }
                try {
                    look(key);
                    queue.succeeded(key);
                } catch (Refused refused) {
                    answer(key, refused);
                } catch (RuntimeException e) {
                    failed.increment();
                    LOG.atError()
                            .setMessage("a template failed")
                            .addKeyValue("template", key)
                            .setCause(e)
                            .log();
                    queue.retry(key);
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("stopped");
        }
    }

    private void look(TemplateKey key) {
        Instant now = clock.instant();
        perform(key, rules.decide(key, pods.of(key), templates.managed(key), now), now);
    }

    /** Leadership may end between two writes; the next leader looks at everything. */
    private void perform(TemplateKey key, List<Action> actions, Instant now) {
        for (Action action : actions) {
            if (!leading.getAsBoolean()) {
                return;
            }
            perform(key, action, now);
        }
    }

    private void perform(TemplateKey key, Action action, Instant now) {
        switch (action) {
            case Action.Create create -> create(key, create, now);
            case Action.Tell(ClaimPod pod) -> signals.templateIsThere(pod, now);
            case Action.Warn(ClaimPod pod, Action.Warning warning, String note) -> warn(key, pod, warning, note, now);
            case Action.Mark(Optional<Instant> unusedSince) -> templates.mark(key, unusedSince);
            case Action.Delete(TemplateView template) -> {
                templates.delete(template);
                deleted.increment();
                LOG.atInfo()
                        .setMessage("deleted an unused template")
                        .addKeyValue("template", key)
                        .log();
            }
            case Action.LookAgain(Instant at) -> queue.add(key, Duration.between(now, at));
        }
    }

    private void create(TemplateKey key, Action.Create create, Instant now) {
        if (templates.create(create.claim(), key.namespace())) {
            created.increment();
            LOG.atInfo()
                    .setMessage("created a template")
                    .addKeyValue("template", key)
                    .addKeyValue("pod", create.askedBy().name())
                    .log();
            return;
        }
        // Taken: by our own, whose event has not come yet, or by somebody else's, which our view does not hold.
        Optional<TemplateView> taken = templates.read(key);
        if (taken.isEmpty()) {
            queue.retry(key);
        } else if (!taken.get().ours()) {
            perform(key, rules.decide(key, pods.of(key), taken, now), now);
        }
    }

    private void answer(TemplateKey key, Refused refused) {
        switch (refused.kind()) {
            case NAMESPACE_ENDS -> {
                leave(key);
                queue.succeeded(key);
            }
            case INVALID -> {
                complain(key, refused);
                warnWaiting(key, refused);
                queue.succeeded(key);
            }
            case FORBIDDEN -> {
                complain(key, refused);
                warnWaiting(key, refused);
                queue.retry(key);
            }
            case UNAVAILABLE -> {
                complain(key, refused);
                queue.retry(key);
            }
        }
    }

    private void complain(TemplateKey key, Refused refused) {
        failed.increment();
        LOG.atWarn()
                .setMessage("the API server refused")
                .addKeyValue("template", key)
                .addKeyValue("kind", refused.kind())
                .addKeyValue("reason", refused.said())
                .log();
    }

    /** No failure, and said once, not for every template whose pods wait there. */
    private void leave(TemplateKey key) {
        if (key.namespace().equals(lastLeft)) {
            return;
        }
        lastLeft = key.namespace();
        LOG.atInfo()
                .setMessage("the namespace ends, nothing more is made in it")
                .addKeyValue("template", key)
                .log();
    }

    private void warnWaiting(TemplateKey key, Refused refused) {
        List<ClaimPod> waiting = pods.of(key).stream()
                .filter(pod -> !pod.claimed() && !pod.finished())
                .toList();
        for (ClaimPod pod : waiting) {
            warn(key, pod, Action.Warning.CLAIM_TEMPLATE_REFUSED, refused.said(), clock.instant());
        }
    }

    private void warn(TemplateKey key, ClaimPod pod, Action.Warning warning, String note, Instant now) {
        if (!signals.warn(pod, warning.reason(), note, now)) {
            queue.add(key, WARN_LATER);
        }
    }

    @Override
    public void close() {
        worker.interrupt();
        pods.close();
        templates.close();
    }
}
