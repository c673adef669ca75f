/**
 * What operators see: metrics, health, the admin port. Called by the edges only; nothing here decides anything.
 * Counting is safe from any thread and never blocks.
 */
@NullMarked
package dev.plainsail.epp.observability;

import org.jspecify.annotations.NullMarked;
