/**
 * Which endpoints exist. One writer publishes immutable sets through a volatile field; readers take no lock.
 * Depends on nothing of ours; the only package that uses the Kubernetes client.
 */
@NullMarked
package dev.plainsail.epp.pool;

import org.jspecify.annotations.NullMarked;
