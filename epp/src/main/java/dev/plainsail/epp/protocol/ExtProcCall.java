package dev.plainsail.epp.protocol;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * One {@code Process} call of gRPC: hands its messages to the stream and the stream's answers to gRPC. Takes a few
 * messages ahead and no more while the stream cannot use them, which is all the back-pressure there is: HTTP/2's window
 * does the rest. All of it runs on the call's loop.
 */
final class ExtProcCall extends ServerCall.Listener<FromProxy> implements Line {
    private static final int MESSAGES_AHEAD = 8;
    private static final int READY_BYTES = 128 * 1024;

    private final ExtProc shared;
    private final EventLoops.Loop loop;
    private final ServerCall<FromProxy, Answer> call;
    private final ExtProcStream stream;
    private int ahead;
    private boolean closed;

    @Nullable
    ExtProcCall before;

    @Nullable
    ExtProcCall after;

    ExtProcCall(ExtProc shared, EventLoops.Loop loop, ServerCall<FromProxy, Answer> call) {
        this.shared = shared;
        this.loop = loop;
        this.call = call;
        this.stream = new ExtProcStream(shared, loop.state, this);
    }

    ExtProcCall start() {
        loop.calls.add(this);
        call.setOnReadyThreshold(READY_BYTES);
        call.sendHeaders(new Metadata());
        request();
        return this;
    }

    private void request() {
        if (!closed && ahead <= MESSAGES_AHEAD / 2 && stream.wantsMore()) {
            int more = MESSAGES_AHEAD - ahead;
            ahead = MESSAGES_AHEAD;
            call.request(more);
        }
    }

    // ---- from gRPC

    @Override
    public void onMessage(FromProxy message) {
        ahead--;
        guarded(() -> stream.on(message));
        request();
    }

    @Override
    public void onReady() {
        guarded(stream::onReady);
        request();
    }

    @Override
    public void onHalfClose() {
        guarded(stream::halfClosed);
    }

    @Override
    public void onCancel() {
        closed = true;
        leave(stream::cancelled);
    }

    @Override
    public void onComplete() {
        closed = true;
        leave(stream::closed);
    }

    private void leave(Runnable last) {
        loop.calls.remove(this);
        guarded(last);
    }

    /** The one place where our mistakes on a stream end up: the stream fails, which lets a proxy that may fail open do so. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            shared.events.failed(e);
            if (!closed) {
                closed = true;
                call.close(Status.INTERNAL.withDescription("the picker failed on this request"), new Metadata());
            }
        }
    }

    /** Ends the stream if the proxy owes it nothing but the answer's headers; see {@link ExtProcStream#drain}. */
    void drain() {
        guarded(stream::drain);
    }

    // ---- from the stream

    @Override
    public void send(Answer answer) {
        if (!closed) {
            call.sendMessage(answer);
        }
    }

    @Override
    public boolean isReady() {
        return call.isReady();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            call.close(Status.OK, new Metadata());
        }
    }

    @Override
    public void refuse(String problem) {
        if (!closed) {
            closed = true;
            call.close(Status.FAILED_PRECONDITION.withDescription(problem), new Metadata());
        }
    }

    @Override
    public void execute(Runnable task) {
        loop.executor.execute(() -> {
            guarded(task);
            request(); // the task may have made room
        });
    }

    @Override
    public boolean inLoop() {
        return loop.executor.inEventLoop();
    }
}
