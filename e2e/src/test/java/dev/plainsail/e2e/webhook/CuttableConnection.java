package dev.plainsail.e2e.webhook;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A way to the API server that can be cut: a port of 127.0.0.1, and a kubeconfig that leads there. */
final class CuttableConnection implements AutoCloseable {
    private final ServerSocket listener;
    private final URI server;
    private final Path kubeconfig;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean cut;

    CuttableConnection(Path kubeconfig) throws IOException {
        String text = Files.readString(kubeconfig);
        server = URI.create(text.replaceAll("(?s).*server: *\"?(https://[0-9.:]+).*", "$1"));
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.kubeconfig = Files.createTempFile("plainsail-", ".kubeconfig");
        Files.writeString(
                this.kubeconfig, text.replace(server.toString(), "https://127.0.0.1:" + listener.getLocalPort()));
        Thread.ofVirtual().start(this::accept);
    }

    Path kubeconfig() {
        return kubeconfig;
    }

    /** Ends what is open; what comes is closed at once. */
    void cut() {
        cut = true;
        open.forEach(CuttableConnection::close);
    }

    void restore() {
        cut = false;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Thread.ofVirtual().start(() -> join(client));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void join(Socket client) {
        try (client;
                Socket api = new Socket(server.getHost(), server.getPort())) {
            open.add(client);
            open.add(api);
            if (cut) {
                return;
            }
            Thread back = Thread.ofVirtual().start(() -> carry(api, client));
            carry(client, api);
            back.join();
        } catch (IOException e) {
            close(client); // the API server is away
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void carry(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // One side has gone; so goes the other.
        }
        close(from);
        close(to);
        open.remove(from);
        open.remove(to);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed as far as we can close it.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        cut();
        Files.deleteIfExists(kubeconfig);
    }
}
