/**
 * Kubernetes' CEL environment for device selectors, as far as a JVM can have it: what the API server will refuse, and what an
 * expression says about a device. Uses {@code dra} and cel-java. Everything is immutable or guarded; any thread.
 */
@NullMarked
package dev.plainsail.dra.cel;

import org.jspecify.annotations.NullMarked;
