/**
 * One real Kubernetes node on this machine, for root on Linux: kubelet, kube-proxy, containerd and runc in namespaces of
 * their own, with everything they need unpacked in the cache and nothing installed. Depends on {@code e2e}, {@code
 * e2e.cache} and {@code e2e.process} only. A node is started and closed by one thread.
 */
@NullMarked
package dev.plainsail.e2e.realnode;

import org.jspecify.annotations.NullMarked;
