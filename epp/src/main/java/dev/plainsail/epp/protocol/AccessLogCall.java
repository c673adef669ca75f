package dev.plainsail.epp.protocol;

import dev.plainsail.epp.routing.Outcomes;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.List;

/** One access log stream of a proxy's worker: it lasts as long as the connection, and is never answered before its end. */
final class AccessLogCall extends ServerCall.Listener<List<AccessLogEntry>> {
    private static final int BATCHES_AHEAD = 4;

    private final ServerCall<List<AccessLogEntry>, Answer> call;
    private final Outcomes outcomes;
    private final StreamEvents events;

    AccessLogCall(ServerCall<List<AccessLogEntry>, Answer> call, Outcomes outcomes, StreamEvents events) {
        this.call = call;
        this.outcomes = outcomes;
        this.events = events;
    }

    AccessLogCall start() {
        call.request(BATCHES_AHEAD);
        return this;
    }

    @Override
    public void onMessage(List<AccessLogEntry> entries) {
        try {
            for (AccessLogEntry entry : entries) {
                outcomes.accept(entry.ticket(), entry.outcome());
            }
        } catch (RuntimeException e) {
            events.failed(e);
        }
        call.request(1);
    }

    @Override
    public void onHalfClose() {
        call.sendHeaders(new Metadata());
        call.sendMessage(new FixedAnswer(new byte[0]));
        call.close(Status.OK, new Metadata());
    }
}
