/**
 * A small HTTP/1.1 server on blocking sockets and virtual threads. It exists because a simulated engine must do what the JDK's server
 * cannot: notice at once that a client has gone while an answer is being computed, send response headers before the body exists, and
 * break a connection with a reset. Depends on the JDK only. One virtual thread reads a connection, another answers its request.
 */
@NullMarked
package dev.plainsail.e2e.engine.http;

import org.jspecify.annotations.NullMarked;
