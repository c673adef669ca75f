package dev.plainsail.epp.protocol;

/**
 * Where a request goes, as the proxy is told.
 *
 * @param hostPorts {@code ip:port}, several joined by comma: the choice, then its fallbacks
 * @param pool for the proxy's access log
 */
record Destination(String hostPorts, String pool) {}
