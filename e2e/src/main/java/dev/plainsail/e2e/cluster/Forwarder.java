package dev.plainsail.e2e.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Accepts connections at one address and carries each to another; either may be a Unix socket, which networks do not divide. */
final class Forwarder implements AutoCloseable {

    private final ServerSocketChannel server;
    private final Dialer dialer;

    /** Opens the other end of a connection that came in. */
    @FunctionalInterface
    interface Dialer {
        SocketChannel dial() throws IOException;
    }

    Forwarder(SocketAddress listen, Dialer dialer) throws IOException {
        this.dialer = dialer;
        this.server = listen instanceof UnixDomainSocketAddress
                ? ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                : ServerSocketChannel.open();
        server.bind(listen);
        Thread.ofVirtual().name("forwarder").start(this::acceptAll);
    }

    /** Of a forwarder that listens on TCP. */
    InetSocketAddress address() throws IOException {
        return (InetSocketAddress) server.getLocalAddress();
    }

    private void acceptAll() {
        while (server.isOpen()) {
            try {
                SocketChannel client = server.accept();
                Thread.ofVirtual().start(() -> carry(client));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void carry(SocketChannel client) {
        try {
            Pump.join(client, dialer.dial());
        } catch (IOException e) {
            Pump.close(client); // the client sees a closed connection, as from a port that nobody serves
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
