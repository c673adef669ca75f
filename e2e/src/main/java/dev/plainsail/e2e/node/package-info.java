/**
 * The node side of a cluster without kubelet: nodes with made-up devices, and pods whose own commands run as processes.
 * Depends on {@code e2e} and {@code e2e.process}, and on the Kubernetes client. Each pod has one virtual thread that alone
 * touches its state; other threads reach it through its inbox.
 */
@NullMarked
package dev.plainsail.e2e.node;

import org.jspecify.annotations.NullMarked;
