/**
 * From a request and the candidates to the chosen endpoints. Never logs, never blocks.
 * May use pool, datalayer and prefix.
 */
@NullMarked
package dev.plainsail.epp.scheduling;

import org.jspecify.annotations.NullMarked;
