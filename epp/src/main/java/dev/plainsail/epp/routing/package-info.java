/**
 * Admits a request, takes a snapshot, schedules and books. The only door that the protocol knows.
 * May use scheduling, datalayer, flowcontrol, pool and prefix.
 */
@NullMarked
package dev.plainsail.epp.routing;

import org.jspecify.annotations.NullMarked;
