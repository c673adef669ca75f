/**
 * Filters: which candidates stay. May use scheduling, pool, datalayer and prefix. Never log, never block.
 */
@NullMarked
package dev.plainsail.epp.scheduling.filter;

import org.jspecify.annotations.NullMarked;
