/**
 * Programs started by us, none of which outlives us. Depends on {@code e2e} only. A child may be watched and stopped from any
 * thread.
 */
@NullMarked
package dev.plainsail.e2e.process;

import org.jspecify.annotations.NullMarked;
