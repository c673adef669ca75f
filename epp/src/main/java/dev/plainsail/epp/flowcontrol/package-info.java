/**
 * When a request may go: bands, fairness, permits. Nothing yet: every request may go at once.
 */
@NullMarked
package dev.plainsail.epp.flowcontrol;

import org.jspecify.annotations.NullMarked;
