package dev.plainsail.epp.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.envoyproxy.envoy.extensions.filters.http.ext_proc.v3.ProcessingMode.BodySendMode;
import io.envoyproxy.envoy.service.ext_proc.v3.ExternalProcessorGrpc;
import io.envoyproxy.envoy.service.ext_proc.v3.ProcessingRequest;
import io.envoyproxy.envoy.service.ext_proc.v3.ProcessingResponse;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayOutputStream;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The proxy's side of one stream. */
final class Talk implements StreamObserver<ProcessingResponse> {
    private final BlockingQueue<Object> got = new LinkedBlockingQueue<>();
    private final StreamObserver<ProcessingRequest> out;

    Talk(ManagedChannel channel) {
        out = ExternalProcessorGrpc.newStub(channel).process(this);
    }

    @Override
    public void onNext(ProcessingResponse answer) {
        got.add(answer);
    }

    @Override
    public void onError(Throwable problem) {
        got.add(problem);
    }

    @Override
    public void onCompleted() {
        got.add("completed");
    }

    StreamObserver<ProcessingRequest> out() {
        return out;
    }

    /** The next message, the problem that ended the stream, or {@code "completed"}. */
    Object next() throws InterruptedException {
        Object next = got.poll(60, TimeUnit.SECONDS);
        assertThat(next).as("an answer within 60 s").isNotNull();
        return Objects.requireNonNull(next);
    }

    byte[] requestBack() throws InterruptedException {
        ProcessingResponse headers = (ProcessingResponse) next();
        assertThat(headers.hasRequestHeaders()).isTrue();
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            ProcessingResponse answer = (ProcessingResponse) next();
            var piece = answer.getRequestBody().getResponse().getBodyMutation().getStreamedResponse();
            assertThat(piece.getBody().size()).isLessThanOrEqualTo(62_000);
            body.writeBytes(piece.getBody().toByteArray());
            if (piece.getEndOfStream()) {
                return body.toByteArray();
            }
        }
    }

    void request(byte[] body, int pieces) {
        out.onNext(Messages.requestHeaders(
                BodySendMode.FULL_DUPLEX_STREAMED, BodySendMode.NONE, false, ":method", "POST", ":path", "/x"));
        for (int at = 0; at < body.length; at += pieces) {
            int length = Math.min(pieces, body.length - at);
            out.onNext(Messages.requestBody(ByteString.copyFrom(body, at, length), false));
        }
        out.onNext(Messages.requestBody(ByteString.EMPTY, true));
    }
}
