package dev.plainsail.webhook.admission;

import dev.plainsail.dra.cel.DeviceExpressions;
import dev.plainsail.webhook.admission.Decision.Why;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.ClusterView;
import dev.plainsail.webhook.plan.InjectionSettings;
import dev.plainsail.webhook.plan.Warning;
import dev.plainsail.webhook.planner.ClusterDoubts;
import dev.plainsail.webhook.planner.Planners;
import dev.plainsail.webhook.workload.WorkloadKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The whole webhook without HTTP: the bytes of an AdmissionReview in, the bytes of its answer out. A pure function of the
 * bytes and the settings, but for warnings, which may depend on the cluster; the same answer on every thread and replica.
 */
public final class AdmissionHandler {

    /** Whether decisions take effect, or are only looked at. */
    public enum Mode {
        MUTATE,
        /** Plans, warns and counts; patches nothing, refuses nothing. */
        OBSERVE
    }

    private static final Logger LOG = LoggerFactory.getLogger(AdmissionHandler.class);
    private static final Duration BUDGET = Duration.ofSeconds(2);

    private final PodAdmission pods;
    private final WorkloadAdmission workloads;
    private final AdmissionRecorder recorder;
    private final LongSupplier nanoTime;

    public AdmissionHandler(
            InjectionSettings settings, ClusterView cluster, AdmissionRecorder recorder, LongSupplier nanoTime) {
        this(settings, cluster, recorder, nanoTime, new DeviceExpressions());
    }

    /** With expressions that others share. */
    AdmissionHandler(
            InjectionSettings settings,
            ClusterView cluster,
            AdmissionRecorder recorder,
            LongSupplier nanoTime,
            DeviceExpressions expressions) {
        this(
                settings,
                new Planners(expressions),
                new ClusterDoubts(cluster, expressions, nanoTime),
                recorder,
                nanoTime);
    }

    AdmissionHandler(
            InjectionSettings settings,
            Planners planners,
            ClusterDoubts doubts,
            AdmissionRecorder recorder,
            LongSupplier nanoTime) {
        this.pods = new PodAdmission(settings, planners);
        this.workloads = new WorkloadAdmission(settings, planners, doubts);
        this.recorder = recorder;
        this.nanoTime = nanoTime;
    }

    /** {@link #handle(byte[], Mode, Duration)} for callers without a deadline. */
    public byte[] handle(byte[] review) {
        return handle(review, Mode.MUTATE, BUDGET);
    }

    /**
     * @param budget how long looking at the cluster may take; planning itself needs well under a millisecond
     * @throws MalformedReviewException if the bytes are no AdmissionReview, which the API server never sends
     */
    public byte[] handle(byte[] body, Mode mode, Duration budget) {
        long start = nanoTime.getAsLong();
        Review review = Review.parse(body);
        Decision decision = decide(review, start + budget.toNanos());
        Decision effective = mode == Mode.OBSERVE ? observed(decision) : decision;
        byte[] answer = Answer.bytes(review, effective);
        long nanos = nanoTime.getAsLong() - start;
        recorder.decided(review.kind(), effective, nanos);
        log(review, effective, nanos);
        return answer;
    }

    /** The decision itself, for callers that are not the API server. */
    Decision decide(Review review, long deadlineNanos) {
        Optional<WorkloadKind> kind = review.kind();
        if (kind.isEmpty()) {
            return unchanged(Why.UNKNOWN_KIND);
        }
        if (!review.subResource().isEmpty()) {
            return unchanged(Why.SUBRESOURCE);
        }
        if (!isOurOperation(kind.get(), review) || !review.object().isObject()) {
            return unchanged(Why.NOT_THIS_OPERATION);
        }
        if (!review.object().path("metadata").path("deletionTimestamp").isMissingNode()
                && !review.object().path("metadata").path("deletionTimestamp").isNull()) {
            return unchanged(Why.DELETING);
        }
        try {
            return kind.get() == WorkloadKind.POD
                    ? pods.decide(review)
                    : workloads.decide(review, kind.get(), deadlineNanos);
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).addKeyValue("uid", review.uid()).log("admission failed; please report this");
            return failed(kind.get(), e);
        }
    }

    /** Pods fail closed: without us they would start without their devices. Workloads pass: their pods come by here again. */
    private static Decision failed(WorkloadKind kind, RuntimeException e) {
        String what = "Plainsail failed on this object (" + e.getClass().getSimpleName()
                + "), which is a mistake in Plainsail; its log says more";
        return kind == WorkloadKind.POD
                ? new Decision.Failed(what, false, List.of())
                : new Decision.Failed(what, true, List.of(new Warning(Caution.OUR_MISTAKE, "", what)));
    }

    private static boolean isOurOperation(WorkloadKind kind, Review review) {
        return review.isCreate() || (review.isUpdate() && kind != WorkloadKind.POD && kind != WorkloadKind.JOB);
    }

    private static Decision unchanged(Why why) {
        return new Decision.Unchanged(why, List.of());
    }

    private static Decision observed(Decision decision) {
        return switch (decision) {
            case Decision.Unchanged unchanged -> unchanged;
            case Decision.Patched patched -> new Decision.Unchanged(Why.OBSERVING, patched.warnings());
            case Decision.Failed failed -> new Decision.Failed(failed.what(), true, failed.warnings());
            case Decision.Denied denied -> {
                List<Warning> warnings = new ArrayList<>();
                denied.problems()
                        .forEach(problem -> warnings.add(new Warning(
                                Caution.OBSERVED,
                                problem.path(),
                                problem.message() + " (observed; it would be refused)")));
                warnings.addAll(denied.warnings());
                yield new Decision.Unchanged(Why.OBSERVING, warnings);
            }
        };
    }

    private static void log(Review review, Decision decision, long nanos) {
        LOG.atInfo()
                .addKeyValue("uid", review.uid())
                .addKeyValue("kind", review.kindName())
                .addKeyValue("namespace", review.namespace())
                .addKeyValue("name", review.name())
                .addKeyValue("operation", review.operation())
                .addKeyValue("dryRun", review.isDryRun())
                .addKeyValue("decision", decision.label())
                .addKeyValue("reason", Answer.reason(decision))
                .addKeyValue("warnings", decision.warnings().size())
                .addKeyValue("micros", nanos / 1000)
                .log("admission");
    }
}
