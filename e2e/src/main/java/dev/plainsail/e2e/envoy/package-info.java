/**
 * A real Envoy: found, or fetched into the cache, and run as a process. Depends on {@code e2e}, {@code e2e.cache} and {@code
 * e2e.process}. Every type may be used from any thread.
 */
@NullMarked
package dev.plainsail.e2e.envoy;

import org.jspecify.annotations.NullMarked;
