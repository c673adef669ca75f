/**
 * The webhook's whole-process benchmark: a main program that starts the packaged webhook beside a local control plane and
 * asks it as the API server does. Uses cluster, process. A thread a connection.
 */
@NullMarked
package dev.plainsail.e2e.bench.admission;

import org.jspecify.annotations.NullMarked;
