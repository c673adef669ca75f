package dev.plainsail.epp.protocol;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * An encoded {@code ProcessingResponse}. gRPC asks for its length, then has it write itself, once, within the call that
 * sends it; that nothing in between needs a buffer is why this is not a byte array.
 */
abstract sealed class Answer extends InputStream implements KnownLength, Drainable permits FixedAnswer, BodyAnswer {
    private @Nullable InputStream asRead;

    abstract int size();

    abstract void writeTo(OutputStream out) throws IOException;

    @Override
    public final int available() {
        return size();
    }

    @Override
    public final int drainTo(OutputStream out) throws IOException {
        writeTo(out);
        return size();
    }

    final byte[] toByteArray() {
        ByteArrayOutputStream out = new ByteArrayOutputStream(size());
        try {
            writeTo(out);
        } catch (IOException e) {
            throw new IllegalStateException("writing to memory", e);
        }
        return out.toByteArray();
    }

    /** For transports that read instead of draining; ours does not. */
    @Override
    public final int read() throws IOException {
        return asRead().read();
    }

    @Override
    public final int read(byte[] into, int from, int length) throws IOException {
        return asRead().read(into, from, length);
    }

    private InputStream asRead() {
        InputStream in = asRead;
        if (in == null) {
            in = new ByteArrayInputStream(toByteArray());
            asRead = in;
        }
        return in;
    }
}
