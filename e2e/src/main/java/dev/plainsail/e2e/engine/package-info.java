/**
 * A simulated inference engine that answers as vLLM does: same routes, flags, errors and metrics, a real block-hashed prefix cache
 * and a continuous batch, but tokens cost time instead of a GPU. Depends on the JDK and Jackson only. {@link
 * dev.plainsail.e2e.engine.EngineCore} and what it uses are pure and single-threaded, told the time by their caller; one thread an
 * engine drives them, one virtual thread a connection serves them.
 */
@NullMarked
package dev.plainsail.e2e.engine;

import org.jspecify.annotations.NullMarked;
