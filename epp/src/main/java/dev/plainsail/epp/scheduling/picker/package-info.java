/**
 * Pickers: from totals to the chosen endpoints. May use scheduling, pool, datalayer and prefix. Never log, never block.
 */
@NullMarked
package dev.plainsail.epp.scheduling.picker;

import org.jspecify.annotations.NullMarked;
