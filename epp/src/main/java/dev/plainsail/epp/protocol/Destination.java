package dev.plainsail.epp.protocol;

import java.util.Map;

/**
 * Where a request goes, as the proxy is told.
 *
 * @param hostPorts {@code ip:port}, several joined by comma: the choice, then its fallbacks
 * @param pool for the proxy's access log
 * @param told response headers for the client, left to a proxy that shows us no response
 */
record Destination(String hostPorts, String pool, Map<String, String> told) {}
