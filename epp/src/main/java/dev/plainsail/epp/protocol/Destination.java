package dev.plainsail.epp.protocol;

import org.jspecify.annotations.Nullable;

/**
 * Where a request goes.
 *
 * @param hostPorts {@code ip:port}, or several in order with commas between
 * @param pool whose endpoints they are
 * @param explanation why, for a client that asked; null: nobody did
 */
record Destination(String hostPorts, String pool, @Nullable String explanation) {}
