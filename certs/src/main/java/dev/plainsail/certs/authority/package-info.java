/**
 * A small certificate authority of our own: from what is stored and the time of day to what shall be stored, served and
 * trusted. Depends on {@code certs} and Bouncy Castle; storing and publishing go through
 * {@link dev.plainsail.certs.authority.AuthorityStore} and {@link dev.plainsail.certs.authority.BundleTarget}.
 * Threads: values are immutable; {@link dev.plainsail.certs.authority.AuthorityKeeper} belongs to one thread.
 */
@NullMarked
package dev.plainsail.certs.authority;

import org.jspecify.annotations.NullMarked;
