/**
 * A local Kubernetes of real parts for tests and the demo.
 */
@NullMarked
package dev.plainsail.e2e;

import org.jspecify.annotations.NullMarked;
