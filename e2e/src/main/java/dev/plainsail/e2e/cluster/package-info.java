/**
 * A Kubernetes control plane of real parts, run as plain processes on loopback addresses, and its stand-in for kube-proxy.
 * Depends on {@code e2e}, {@code e2e.cache}, {@code e2e.process}, {@code e2e.node} and {@code e2e.realnode}. {@code LocalCluster} is the front door; it may
 * be used from any thread, closing it twice is harmless.
 */
@NullMarked
package dev.plainsail.e2e.cluster;

import org.jspecify.annotations.NullMarked;
