package dev.plainsail.epp.datalayer;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A kept HTTP/1.1 connection to one engine, for one request at a time. Owned by the scraper's thread. A kept connection
 * that turns out to be closed is replaced once, silently: servers close idle ones whenever they like.
 */
final class Connection {
    private final InetSocketAddress address;
    private final @Nullable SSLContext tls;
    private byte[] request = {};
    private final RawResponse response;
    private @Nullable SocketChannel channel;
    private @Nullable SelectionKey key;
    private @Nullable TlsLink link;
    private ByteBuffer toSend = ByteBuffer.allocate(0);
    private boolean fresh;

    /** @param tls null: in plain text */
    Connection(InetSocketAddress address, @Nullable SSLContext tls, ResponseBuffers buffers) {
        this.response = new RawResponse(buffers);
        this.address = address;
        this.tls = tls;
    }

    RawResponse response() {
        return response;
    }

    /** @param owner attached to the selection key */
    void send(Selector selector, Object owner, byte[] next) throws IOException {
        request = next;
        response.reset();
        toSend = ByteBuffer.wrap(request);
        if (channel == null) {
            open(selector, owner);
        } else {
            fresh = false;
            interest(SelectionKey.OP_WRITE | SelectionKey.OP_READ);
        }
    }

    private void open(Selector selector, Object owner) throws IOException {
        SocketChannel opened = SocketChannel.open();
        channel = opened;
        fresh = true;
        opened.configureBlocking(false);
        opened.setOption(StandardSocketOptions.TCP_NODELAY, true);
        link = tls == null ? null : new TlsLink(opened, tls);
        boolean connected = opened.connect(address);
        key = opened.register(selector, connected ? SelectionKey.OP_WRITE : SelectionKey.OP_CONNECT, owner);
    }

    /** Goes on as far as the socket lets it. @return whether the response is complete */
    boolean proceed(Selector selector, Object owner, ByteBuffer scratch) throws IOException {
        try {
            return step(scratch);
        } catch (IOException e) {
            boolean stale = !fresh && response.empty();
            close();
            if (!stale) {
                throw e;
            }
            send(selector, owner, request);
            return false;
        }
    }

    private boolean step(ByteBuffer scratch) throws IOException {
        SocketChannel open = channel;
        if (open == null) {
            throw new IOException("not connected");
        }
        if (!open.isConnected()) {
            open.finishConnect();
        }
        TlsLink secured = link;
        if (secured != null && !(secured.handshake() && secured.write(toSend))) {
            interest(secured.interest());
            return false;
        }
        while (toSend.hasRemaining()) {
            if (open.write(toSend) == 0) {
                interest(SelectionKey.OP_WRITE);
                return false;
            }
        }
        interest(SelectionKey.OP_READ);
        return receive(open, secured, scratch);
    }

    private boolean receive(SocketChannel open, @Nullable TlsLink secured, ByteBuffer scratch) throws IOException {
        while (!response.complete()) {
            scratch.clear();
            int count = secured == null ? open.read(scratch) : secured.read(scratch);
            if (count == 0) {
                return false;
            }
            if (count < 0) {
                response.ended();
                if (!response.complete()) {
                    throw new IOException("closed before the end of the response");
                }
            } else {
                response.feed(scratch.flip());
            }
        }
        if (!response.keepAlive()) {
            close();
        } else {
            interest(0);
        }
        return true;
    }

    private void interest(int operations) {
        SelectionKey registered = key;
        if (registered != null && registered.isValid() && registered.interestOps() != operations) {
            registered.interestOps(operations);
        }
    }

    /** Closes it and forgets what has come. */
    void abandon() {
        close();
        response.release();
    }

    /** Idempotent; a later {@link #send} connects anew. A complete response stays. */
    void close() {
        SocketChannel open = channel;
        channel = null;
        key = null;
        link = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                // The descriptor is gone either way, and nobody waits for these bytes.
                assert !open.isOpen();
            }
        }
    }
}
