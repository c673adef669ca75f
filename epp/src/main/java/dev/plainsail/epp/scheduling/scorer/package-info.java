/**
 * Scorers: how good each candidate is. May use scheduling, pool, datalayer and prefix. Never log, never block.
 */
@NullMarked
package dev.plainsail.epp.scheduling.scorer;

import org.jspecify.annotations.NullMarked;
