/**
 * Key pairs: issued, rotated, loaded, served.
 * Storage and publication go through ports; nothing here knows Kubernetes.
 */
@NullMarked
package dev.plainsail.certs;

import org.jspecify.annotations.NullMarked;
