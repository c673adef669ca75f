package dev.plainsail.e2e.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * The HTTP CONNECT server on a Unix socket through which the API server reaches what is inside the cluster: Services by
 * their cluster address, pods, and the nodes' log endpoint. It stands where konnectivity or a routed network would.
 */
final class EgressProxy implements AutoCloseable {

    private static final int MOST_HEADER_BYTES = 16 << 10;

    private final ServerSocketChannel server;
    private final Function<InetSocketAddress, Optional<InetSocketAddress>> route;

    /** @param route from the address the API server asks for to the one to dial; empty when nobody serves it */
    EgressProxy(Path socket, Function<InetSocketAddress, Optional<InetSocketAddress>> route) throws IOException {
        this.route = route;
        this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        Thread.ofVirtual().name("egress").start(this::acceptAll);
    }

    private void acceptAll() {
        while (server.isOpen()) {
            try {
                SocketChannel client = server.accept();
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(SocketChannel client) {
        try {
            Optional<InetSocketAddress> asked = readTarget(client);
            Optional<SocketChannel> backend = asked.flatMap(route).flatMap(EgressProxy::dial);
            if (backend.isEmpty()) {
                send(client, "HTTP/1.1 502 nothing ready serves that address\r\nContent-Length: 0\r\n\r\n");
                Pump.close(client);
                return;
            }
            send(client, "HTTP/1.1 200 Connection established\r\n\r\n");
            Pump.join(client, backend.get());
        } catch (IOException e) {
            Pump.close(client);
        }
    }

    private static Optional<SocketChannel> dial(InetSocketAddress address) {
        try {
            return Optional.of(SocketChannel.open(address));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static void send(SocketChannel client, String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
        while (bytes.hasRemaining()) {
            client.write(bytes);
        }
    }

    /** Reads byte by byte up to the empty line, so that nothing of what follows is taken. */
    private static Optional<InetSocketAddress> readTarget(SocketChannel client) throws IOException {
        StringBuilder head = new StringBuilder();
        ByteBuffer one = ByteBuffer.allocate(1);
        while (head.indexOf("\r\n\r\n") < 0) {
            one.clear();
            if (client.read(one) < 0 || head.length() >= MOST_HEADER_BYTES) {
                return Optional.empty();
            }
            head.append((char) (one.get(0) & 0xff));
        }
        return parseConnect(head.toString());
    }

    /** {@code CONNECT 127.96.0.7:443 HTTP/1.1}. */
    static Optional<InetSocketAddress> parseConnect(String head) {
        String[] words = head.split("\r\n", 2)[0].split(" ");
        if (words.length != 3 || !words[0].equals("CONNECT")) {
            return Optional.empty();
        }
        int colon = words[1].lastIndexOf(':');
        if (colon <= 0 || !words[1].substring(colon + 1).matches("\\d{1,5}")) {
            return Optional.empty();
        }
        int port = Integer.parseInt(words[1].substring(colon + 1));
        return port > 65_535
                ? Optional.empty()
                : Optional.of(InetSocketAddress.createUnresolved(words[1].substring(0, colon), port));
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
