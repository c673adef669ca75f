/**
 * Envoy's external processing protocol and access log: reads what the proxy sends, holds the request until it is
 * decided, answers in the order and pieces that the proxy insists on. The only package that knows Envoy's wire.
 * May use routing, scheduling, pool and prefix. A stream is touched by its own event loop only; nothing here blocks.
 */
@NullMarked
package dev.plainsail.epp.protocol;

import org.jspecify.annotations.NullMarked;
