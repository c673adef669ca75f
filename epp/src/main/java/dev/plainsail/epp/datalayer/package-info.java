/**
 * What each endpoint last reported, and what was sent to it since: reports are immutable and published by a volatile
 * field, live counters are atomics. May use pool.
 */
@NullMarked
package dev.plainsail.epp.datalayer;

import org.jspecify.annotations.NullMarked;
