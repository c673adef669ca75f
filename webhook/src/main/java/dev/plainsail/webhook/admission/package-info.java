/**
 * AdmissionReview bytes in, AdmissionReview bytes out: limits, copying to templates, ratcheting, the decision, its log line.
 * Uses {@code plan}, {@code planner}, {@code patch}, {@code workload}. Stateless, any number of threads.
 */
@NullMarked
package dev.plainsail.webhook.admission;

import org.jspecify.annotations.NullMarked;
