package dev.plainsail.e2e.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Runs inside a real node's network, which is joined to nothing, and joins it to the control plane: the API server's address
 * there leads to a Unix socket; what the API server wants to reach there is dialled for it; and names are answered. Needs
 * nothing but the JDK and this module's own classes.
 */
final class NodeBridge {

    private static final int DNS_PORT = 53;

    private NodeBridge() {}

    /** The command that starts it, for a folder as {@link #apiSocket} and the others see it. */
    static List<String> command(Path folder, Path egressSocket, ClusterNetwork.Node node, int apiPort) {
        Path classes = Path.of(NodeBridge.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath());
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx64m",
                "-cp",
                classes.toString(),
                NodeBridge.class.getName(),
                node.address(),
                Integer.toString(apiPort),
                apiSocket(folder).toString(),
                egressSocket.toString(),
                dnsTable(folder).toString());
    }

    /** Where the control plane's side listens for the node's calls to the API server. */
    static Path apiSocket(Path folder) {
        return folder.resolve("api.sock");
    }

    static Path dnsTable(Path folder) {
        return folder.resolve("names");
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        String address = arguments[0];
        UnixDomainSocketAddress api = UnixDomainSocketAddress.of(arguments[2]);
        try (Forwarder _ = new Forwarder(
                        new InetSocketAddress(address, Integer.parseInt(arguments[1])), () -> SocketChannel.open(api));
                EgressProxy _ = new EgressProxy(
                        Path.of(arguments[3]),
                        asked -> Optional.of(new InetSocketAddress(asked.getHostString(), asked.getPort())));
                ClusterDns _ = new ClusterDns(new InetSocketAddress(address, DNS_PORT), Path.of(arguments[4]))) {
            Thread.currentThread().join();
        }
    }
}
