package dev.plainsail.epp.datalayer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;

/**
 * TLS over a channel that does not block: every call goes as far as the socket lets it. Owned by the scraper's thread.
 * Whom it talks to is decided by the context; names are not compared, because engines are addressed by pod IP.
 */
final class TlsLink {
    private final SocketChannel channel;
    private final SSLEngine engine;
    private final ByteBuffer empty = ByteBuffer.allocate(0);
    private ByteBuffer fromNet;
    private final ByteBuffer toNet;
    private ByteBuffer plain;
    private boolean begun;

    TlsLink(SocketChannel channel, SSLContext context) {
        this.channel = channel;
        engine = context.createSSLEngine();
        engine.setUseClientMode(true);
        int packet = engine.getSession().getPacketBufferSize();
        fromNet = ByteBuffer.allocate(packet);
        toNet = ByteBuffer.allocate(packet).limit(0);
        plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize())
                .limit(0);
    }

    /** Goes on with the handshake. @return whether it is over, and nothing waits to be sent */
    boolean handshake() throws IOException {
        if (!begun) {
            begun = true;
            engine.beginHandshake();
        }
        while (true) {
            if (!flush()) {
                return false;
            }
            switch (engine.getHandshakeStatus()) {
                case NEED_WRAP -> wrap(empty);
                case NEED_TASK -> runTasks();
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    if (!unwrap()) {
                        return false;
                    }
                }
                case NOT_HANDSHAKING, FINISHED -> {
                    return true;
                }
            }
        }
    }

    /** What the selector is to wait for. */
    int interest() {
        return toNet.hasRemaining() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ;
    }

    /** @return whether all of it has gone out */
    boolean write(ByteBuffer bytes) throws IOException {
        while (flush()) {
            if (!bytes.hasRemaining()) {
                return true;
            }
            wrap(bytes);
        }
        return false;
    }

    /** As a channel's: bytes read, 0 when there are none yet, -1 at the end. */
    int read(ByteBuffer into) throws IOException {
        while (!plain.hasRemaining()) {
            if (engine.isInboundDone()) {
                return -1;
            }
            if (!unwrap()) {
                return engine.isInboundDone() ? -1 : 0;
            }
            if (engine.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
                runTasks();
            }
            if (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP && !engine.isInboundDone()) {
                wrap(empty);
                flush();
            }
        }
        int count = Math.min(plain.remaining(), into.remaining());
        into.put(into.position(), plain, plain.position(), count);
        into.position(into.position() + count);
        plain.position(plain.position() + count);
        return count;
    }

    private boolean flush() throws IOException {
        while (toNet.hasRemaining()) {
            if (channel.write(toNet) == 0) {
                return false;
            }
        }
        return true;
    }

    private void wrap(ByteBuffer bytes) throws IOException {
        toNet.clear();
        SSLEngineResult result = engine.wrap(bytes, toNet);
        toNet.flip();
        if (result.getStatus() == Status.CLOSED) {
            throw new IOException("the TLS connection is closed");
        }
    }

    /** Decodes one record into the plain buffer, which must be empty. @return whether there was one */
    private boolean unwrap() throws IOException {
        while (true) {
            fromNet.flip();
            plain.clear();
            SSLEngineResult result = engine.unwrap(fromNet, plain);
            plain.flip();
            fromNet.compact();
            switch (result.getStatus()) {
                case OK -> {
                    return true;
                }
                case CLOSED -> {
                    return false;
                }
                case BUFFER_OVERFLOW ->
                    plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize())
                            .limit(0);
                case BUFFER_UNDERFLOW -> {
                    if (!fill()) {
                        return false;
                    }
                }
            }
        }
    }

    private boolean fill() throws IOException {
        if (!fromNet.hasRemaining()) {
            ByteBuffer larger = ByteBuffer.allocate(fromNet.capacity() * 2);
            larger.put(fromNet.flip());
            fromNet = larger;
        }
        int count = channel.read(fromNet);
        if (count < 0) {
            engine.closeInbound();
        }
        return count > 0;
    }

    /** They are a few milliseconds of arithmetic at the start of a connection that is kept. */
    private void runTasks() {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }
}
