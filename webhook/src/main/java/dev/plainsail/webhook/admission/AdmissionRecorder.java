package dev.plainsail.webhook.admission;

import dev.plainsail.webhook.workload.WorkloadKind;
import java.util.Optional;

/** Told of every decision, for metrics. Called on admission threads, must not block. */
public interface AdmissionRecorder {

    /** Counts nothing. */
    AdmissionRecorder NONE = (kind, decision, nanos) -> {};

    /** @param kind empty for kinds that we do not know */
    void decided(Optional<WorkloadKind> kind, Decision decision, long nanos);
}
