package dev.plainsail.e2e.cluster;

import dev.plainsail.e2e.UserError;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.random.RandomGenerator;

/**
 * One cluster's own share of 127.0.0.0/8: the addresses 127.N.x.y, claimed by an open socket at 127.N.255.254, so that
 * any number of clusters live beside each other with the usual port numbers. Linux answers on all of 127.0.0.0/8, and
 * nobody outside the machine can reach it. The claim ends with {@code close} or with the JVM.
 *
 * <p>127.N.0.0/17 are Services, 127.N.128+i.0/24 the pods of node i, 127.N.255.1 the control plane, 127.N.255.10+i node i.
 */
public final class LoopbackNet implements AutoCloseable {

    private static final int CLAIM_PORT = 6440;
    private static final int FIRST = 16;
    private static final int COUNT = 224;

    private final int second;
    private final ServerSocket claim;

    private LoopbackNet(int second, ServerSocket claim) {
        this.second = second;
        this.claim = claim;
    }

    static LoopbackNet claim(RandomGenerator random) {
        int start = random.nextInt(COUNT);
        for (int i = 0; i < COUNT; i++) {
            int second = FIRST + (start + i) % COUNT;
            try {
                ServerSocket socket = new ServerSocket();
                try {
                    socket.bind(new InetSocketAddress(address(second, 255, 254), CLAIM_PORT));
                    return new LoopbackNet(second, socket);
                } catch (IOException e) {
                    socket.close(); // another cluster's
                }
            } catch (IOException e) {
                throw new IllegalStateException("a socket could not be opened", e);
            }
        }
        throw new UserError(
                "no address range 127.N.0.0/16 is free on this machine (port " + CLAIM_PORT
                        + " of 127.N.255.254 is taken for every N): stop a cluster, or check that 127.0.0.0/8 is on the loopback interface");
    }

    private static InetAddress address(int second, int third, int fourth) throws IOException {
        return InetAddress.getByAddress(new byte[] {127, (byte) second, (byte) third, (byte) fourth});
    }

    private String text(int third, int fourth) {
        return "127." + second + "." + third + "." + fourth;
    }

    String serviceRange() {
        return text(0, 0) + "/17";
    }

    /** The Service {@code kubernetes} gets the range's first address. */
    String kubernetesService() {
        return text(0, 1);
    }

    String controlPlane() {
        return text(255, 1);
    }

    /** @param node from 1 */
    public String node(int node) {
        return text(255, 10 + node);
    }

    /** @param node from 1 */
    public String podPrefix(int node) {
        return "127." + second + "." + (128 + node) + ".";
    }

    @Override
    public void close() {
        try {
            claim.close();
        } catch (IOException e) {
            throw new IllegalStateException("the claim socket did not close", e);
        }
    }
}
