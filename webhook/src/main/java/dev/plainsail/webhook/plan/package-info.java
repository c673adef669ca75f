/**
 * What the user asks for (the annotations and their grammar), and what will be done about it: changes, problems, warnings.
 * Pure values; where in the JSON a change lands is {@code patch}'s business. Uses {@code workload}, {@code engine}, {@code dra}. Any thread.
 */
@NullMarked
package dev.plainsail.webhook.plan;

import org.jspecify.annotations.NullMarked;
