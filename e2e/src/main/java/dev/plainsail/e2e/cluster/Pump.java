package dev.plainsail.e2e.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Carries bytes between two connections until both directions have ended; a half-closed side stays half closed. */
final class Pump {

    private static final int BUFFER_BYTES = 1 << 16;

    private Pump() {}

    /** Returns when both are closed. Call it on a virtual thread. */
    static void join(SocketChannel a, SocketChannel b) {
        Thread back = Thread.ofVirtual().start(() -> carry(b, a));
        carry(a, b);
        try {
            back.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        close(a);
        close(b);
    }

    private static void carry(SocketChannel from, SocketChannel to) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        try {
            while (from.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    to.write(buffer);
                }
                buffer.clear();
            }
            to.shutdownOutput();
        } catch (IOException e) {
            close(from); // a reset on one side ends the other
            close(to);
        }
    }

    static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // It is closed as far as we can close it.
        }
    }
}
