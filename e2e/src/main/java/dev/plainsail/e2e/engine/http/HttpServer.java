package dev.plainsail.e2e.engine.http;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;

/**
 * Listens and serves. While one virtual thread answers a request, another keeps reading its connection: the end of the stream there is
 * the client hanging up. Connections idle between requests are closed after five to ten seconds, as vLLM's server does after five.
 */
public final class HttpServer implements AutoCloseable {
    private static final Duration IDLE = Duration.ofSeconds(5);
    private static final Duration SLOW_CLIENT = Duration.ofSeconds(60);

    /** Answers a request, on a virtual thread of its own. */
    public interface Handler {
        void handle(Request request, Exchange exchange) throws IOException, InterruptedException;
    }

    private final ServerSocket listener;
    private final Handler handler;
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();

    private HttpServer(ServerSocket listener, Handler handler) {
        this.listener = listener;
        this.handler = handler;
    }

    /**
     * Starts listening.
     *
     * @param address port 0 takes a free one
     * @throws IOException when the address cannot be had
     */
    public static HttpServer start(InetSocketAddress address, Optional<SSLContext> tls, Handler handler)
            throws IOException {
        ServerSocket socket =
                tls.isPresent() ? tls.get().getServerSocketFactory().createServerSocket() : new ServerSocket();
        try {
            socket.setReuseAddress(true);
            socket.bind(address, 1024);
        } catch (IOException e) {
            socket.close();
            throw new IOException(
                    "cannot listen on " + address.getHostString() + ":" + address.getPort() + ": " + e.getMessage(), e);
        }
        HttpServer server = new HttpServer(socket, handler);
        Thread.ofVirtual().name("accept").start(server::accept);
        return server;
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                connections.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException e) {
                // Closed by us, or out of file descriptors for a moment: the loop's condition tells which.
                Thread.onSpinWait();
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(socket.getInputStream(), 16 * 1024);
            OutputStream out = new BufferedOutputStream(socket.getOutputStream(), 16 * 1024);
            RequestReader reader = new RequestReader(in, () -> {
                out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                out.flush();
            });
            while (one(socket, in, out, reader)) {
                // one request after another
            }
        } catch (IOException e) {
            // The client has gone; whoever was answering it has been told.
        } finally {
            connections.remove(socket);
        }
    }

    /** Serves one request; false when the connection is of no further use. */
    private boolean one(Socket socket, InputStream in, OutputStream out, RequestReader reader) throws IOException {
        Optional<Request> request;
        try {
            socket.setSoTimeout((int) SLOW_CLIENT.toMillis());
            request = reader.read();
        } catch (RequestReader.Malformed e) {
            new Exchange(socket, out, false)
                    .respond(
                            400,
                            Map.of("content-type", "text/plain; charset=utf-8"),
                            "Invalid HTTP request received.".getBytes(StandardCharsets.UTF_8));
            return false;
        }
        if (request.isEmpty()) {
            return false;
        }
        Exchange exchange = new Exchange(socket, out, request.get().keepAlive());
        Thread answering = Thread.ofVirtual().start(() -> answer(request.get(), exchange, socket));
        boolean more = false;
        try {
            socket.setSoTimeout((int) IDLE.toMillis());
            more = awaitMore(in, answering);
        } finally {
            if (!more) {
                exchange.disconnected();
            }
            join(answering);
        }
        return more && exchange.reusable();
    }

    private void answer(Request request, Exchange exchange, Socket socket) {
        try {
            handler.handle(request, exchange);
        } catch (IOException e) {
            // The client has gone.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            e.printStackTrace();
            failed(exchange);
        } finally {
            if (!exchange.reusable()) {
                close(socket);
            }
        }
    }

    private static void failed(Exchange exchange) {
        if (exchange.begun()) {
            return;
        }
        try {
            exchange.respond(
                    500,
                    Map.of("content-type", "text/plain; charset=utf-8"),
                    "Internal Server Error".getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // The client has gone as well.
        }
    }

    /** Waits for the next request's first byte without taking it; false at the end of the stream or after idling too long. */
    private static boolean awaitMore(InputStream in, Thread answering) throws IOException {
        while (true) {
            in.mark(1);
            try {
                int next = in.read();
                if (next < 0) {
                    return false;
                }
                in.reset();
                return true;
            } catch (SocketTimeoutException e) {
                if (!answering.isAlive()) {
                    return false;
                }
            }
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Stops listening and breaks every connection. */
    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : connections) {
            socket.close();
        }
    }
}
