/**
 * AdmissionReview in and out: the HTTPS door, the review's shape and limits, copying, the decision.
 * May use plan, patch, workload. Handlers are called by many threads at once and keep no state.
 */
@NullMarked
package dev.plainsail.webhook.admission;

import org.jspecify.annotations.NullMarked;
