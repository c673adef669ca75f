/**
 * Key pairs: read from files, served, replaced while connections run.
 * Depends on the JDK only; issuing (Bouncy Castle) is in {@code certs.authority}. Nothing here knows Kubernetes.
 * Threads: a {@link dev.plainsail.certs.ReloadingKeyManager} is read by every handshake and written by one watcher.
 */
@NullMarked
package dev.plainsail.certs;

import org.jspecify.annotations.NullMarked;
