/**
 * One class for each thing that is injected, and the ordered list of them. Pure functions of the subject; the cluster
 * may add warnings, never changes. Uses {@code plan}, {@code engine}, {@code workload}, {@code dra}. Any thread.
 */
@NullMarked
package dev.plainsail.webhook.planner;

import org.jspecify.annotations.NullMarked;
