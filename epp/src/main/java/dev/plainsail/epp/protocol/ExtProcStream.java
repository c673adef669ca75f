package dev.plainsail.epp.protocol;

import dev.plainsail.epp.protocol.Exchange.Mode;
import dev.plainsail.epp.protocol.State.Answering;
import dev.plainsail.epp.protocol.State.Aside;
import dev.plainsail.epp.protocol.State.Collecting;
import dev.plainsail.epp.protocol.State.Deciding;
import dev.plainsail.epp.protocol.State.Ended;
import dev.plainsail.epp.protocol.State.Fresh;
import dev.plainsail.epp.protocol.State.Sending;
import dev.plainsail.epp.routing.Reason;
import dev.plainsail.epp.routing.Verdict;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One request's conversation with the proxy, as a state machine: one method for each kind of message.
 *
 * <p>Where the proxy sends the body at once (duplex), the answer to the headers is held back until the body has been
 * read and a verdict is there; then come that answer, the body in pieces, and exactly one end. Where it buffers, the
 * headers are answered at once and the endpoint is named in the answer to the body. Where nothing can wait (no body,
 * piece-by-piece mode, upgrades, gRPC), the decision is made on the headers. Touched by its own loop only.
 */
final class ExtProcStream {
    private static final State FRESH = new Fresh();
    private static final State ENDED = new Ended();
    private static final long MOST_ECHO_BYTES = 256 * 1024;

    private final ExtProc shared;
    private final LoopState loop;
    private final Line line;
    private final ResponsePhase responses;
    private final Deadlines.Node deadline = new Deadlines.Node(this::decisionOverdue);
    private final Deadlines.Node settling = new Deadlines.Node(this::settled);
    private State state = FRESH;

    ExtProcStream(ExtProc shared, LoopState loop, Line line) {
        this.shared = shared;
        this.loop = loop;
        this.line = line;
        this.responses = new ResponsePhase(shared, loop, line);
        shared.events.opened();
    }

    State state() {
        return state;
    }

    /** Whether the next message may come; if not, {@link #onReady} will make it so. */
    boolean wantsMore() {
        Served served = served();
        return served == null || served.echo == null || served.echo.left() < MOST_ECHO_BYTES;
    }

    void on(FromProxy message) {
        switch (message) {
            case FromProxy.RequestHeaders headers -> requestHeaders(headers);
            case FromProxy.RequestBody body -> requestBody(body);
            case FromProxy.RequestTrailers _ -> requestTrailers();
            case FromProxy.ResponseHeaders headers -> responseHeaders(headers);
            case FromProxy.ResponseBody body -> responseBody(body);
            case FromProxy.ResponseTrailers _ -> responseTrailers();
            case FromProxy.Other _ -> {}
            case FromProxy.Unreadable unreadable -> violated("the message cannot be decoded: " + unreadable.problem());
        }
    }

    // ---- the request comes in

    private void requestHeaders(FromProxy.RequestHeaders message) {
        if (state instanceof Ended) {
            return;
        }
        if (!(state instanceof Fresh)) {
            violated("request headers came twice");
            return;
        }
        if (message.observing()) {
            state = ENDED;
            return;
        }
        Exchange exchange = new Exchange(message, shared.nextTicket(), shared.nanoTime());
        if (!exchange.decidesOnBody()) {
            decide(exchange);
            return;
        }
        String coding = exchange.head.coding();
        if (exchange.head.isJson() && (coding == null || coding.equals("gzip"))) {
            exchange.reader = loop.takeReader();
            exchange.gzip = coding == null ? null : new GzipReader(shared.settings.maxBodyBytes());
        }
        if (exchange.mode() == Mode.BUFFERED) {
            line.send(Answers.REQUEST_HEADERS);
        }
        state = new Collecting(exchange);
        loop.wait(deadline, exchange.startNanos);
    }

    private void requestBody(FromProxy.RequestBody message) {
        switch (state) {
            case Fresh _ -> violated("a request body came before the headers; set request_header_mode to SEND");
            case Collecting(Exchange exchange) -> collect(exchange, message);
            case Deciding(Exchange exchange) -> {
                if (exchange.endSeen || !keep(exchange, message.piece())) {
                    message.piece().release(loop.chunks);
                    return;
                }
                exchange.endSeen = message.end();
            }
            case Sending(Exchange exchange, Served served) -> pass(exchange, served, message);
            case Answering _, Aside _, Ended _ -> message.piece().release(loop.chunks);
        }
    }

    private void collect(Exchange exchange, FromProxy.RequestBody message) {
        if (!keep(exchange, message.piece())) {
            return;
        }
        exchange.endSeen = message.end();
        long now = shared.nanoTime();
        if (message.end() || exchange.mode() == Mode.BUFFERED) {
            exchange.completeNanos = now;
            decide(exchange);
            return;
        }
        loop.wait(deadline, now);
        if (exchange.head.contentLength() >= 0 && exchange.body.received() >= exchange.head.contentLength()) {
            exchange.completeNanos = now;
            loop.settle(settling, now);
        }
    }

    /** Takes a piece into the body that waits, and reads it; false if the request was refused for it. */
    private boolean keep(Exchange exchange, Piece piece) {
        long held = piece.held();
        if (exchange.body.received() + piece.size() > shared.settings.maxBodyBytes()) {
            refuse(new Verdict.Reject(Reason.BODY_TOO_LARGE, shared.tooLarge, 0));
            return false;
        }
        if (!shared.budget.take(held)) {
            refuse(new Verdict.Reject(Reason.MEMORY_FULL, "the picker's memory for request bodies is full", 1));
            return false;
        }
        exchange.charged += held;
        exchange.body.add(piece);
        BodyReader reader = exchange.reader;
        if (reader != null && state instanceof Collecting) {
            for (int i = 0; i < piece.spans(); i++) {
                exchange.show(reader, piece.array(i), piece.from(i), piece.to(i));
            }
        }
        return true;
    }

    private void requestTrailers() {
        switch (state) {
            case Fresh _ -> violated("request trailers came before the headers");
            case Collecting(Exchange exchange) -> {
                endWithTrailers(exchange);
                exchange.completeNanos = shared.nanoTime();
                decide(exchange);
            }
            case Deciding(Exchange exchange) -> endWithTrailers(exchange);
            case Sending(Exchange exchange, Served served) -> {
                endWithTrailers(exchange);
                flush(exchange, served);
            }
            case Answering _, Aside _ -> line.send(Answers.REQUEST_TRAILERS);
            case Ended _ -> {}
        }
    }

    private static void endWithTrailers(Exchange exchange) {
        exchange.trailersSeen |= !exchange.endSeen;
        exchange.endSeen = true;
    }

    // ---- the decision

    private void settled() {
        if (state instanceof Collecting(Exchange exchange)) {
            decide(exchange);
        }
    }

    private void decide(Exchange exchange) {
        loop.settling.remove(settling);
        state = new Deciding(exchange);
        loop.wait(deadline, exchange.completeNanos);
        String problem = shared.read(exchange, loop);
        if (problem != null) {
            refuse(new Verdict.Reject(Reason.BODY_UNREADABLE, problem, 0));
            return;
        }
        shared.router.route(shared.requestOf(exchange), this::deliver);
    }

    private void deliver(Verdict verdict) {
        if (line.inLoop()) {
            on(verdict);
            return;
        }
        line.execute(() -> on(verdict));
    }

    private void on(Verdict verdict) {
        if (!(state instanceof Deciding(Exchange exchange))) {
            switch (verdict) {
                case Verdict.Forward forward -> forward.inFlight().ended();
                case Verdict.Told(Verdict.Forward forward, Map<String, String> _) ->
                    forward.inFlight().ended();
                case Verdict.Reject _, Verdict.Reply _ -> {}
            }
            return;
        }
        switch (verdict) {
            case Verdict.Reject reject -> refuse(reject);
            case Verdict.Forward forward -> forward(exchange, forward, Map.of());
            case Verdict.Told(Verdict.Forward forward, Map<String, String> headers) ->
                forward(exchange, forward, headers);
            case Verdict.Reply reply -> reply(reply);
        }
    }

    private void decisionOverdue() {
        if (state instanceof Collecting || state instanceof Deciding) {
            refuse(new Verdict.Reject(Reason.DECISION_TIMEOUT, shared.overdue, 1));
        }
    }

    private void refuse(Verdict.Reject reject) {
        Exchange exchange = exchange();
        Served served = served();
        shared.events.refused(reject.reason(), exchange == null ? null : exchange.request);
        line.send(Answers.refused(reject));
        if (served != null) {
            responses.abandon(served);
        }
        end();
        line.close();
    }

    private void reply(Verdict.Reply reply) {
        line.send(Answers.replied(reply));
        end();
        line.close();
    }

    private void forward(Exchange exchange, Verdict.Forward forward, Map<String, String> told) {
        loop.decisions.remove(deadline);
        Served served = new Served(exchange, forward.inOrder().getFirst(), forward.inFlight());
        served.told = told;
        state = new Sending(exchange, served);
        String model = forward.model();
        boolean changed = model != null
                && exchange.gzip == null
                && !exchange.facts.modelSpans().isEmpty();
        if (model != null && changed) {
            exchange.body.replace(exchange.facts.modelSpans(), Rewrite.value(model));
        }
        if (exchange.request != null) {
            shared.events.forwarded(exchange.request, model, shared.nanoTime() - exchange.completeNanos);
        }
        if (exchange.decidesOnBody() && exchange.mode() == Mode.BUFFERED) {
            byte[] body = changed ? exchange.body.toByteArray() : null;
            Destination destination = DestinationAnswers.destination(forward.inOrder(), told);
            line.send(new FixedAnswer(Answers.routed(
                    3, destination, exchange.ticket, exchange.head.remove(), body, !exchange.mayBeCut())));
            handedOver(exchange, served);
            return;
        }
        line.send(loop.destinations.routed(forward.inOrder(), exchange.ticket, exchange.head.remove(), told));
        if (exchange.mode() == Mode.NONE || (exchange.endSeen && exchange.body.received() == 0 && !exchange.whole)) {
            handedOver(exchange, served);
            return;
        }
        flush(exchange, served);
    }

    // ---- the request goes on

    private void pass(Exchange exchange, Served served, FromProxy.RequestBody message) {
        if (exchange.endSeen) {
            message.piece().release(loop.chunks);
            return;
        }
        exchange.endSeen = message.end();
        if (exchange.mode() == Mode.STEPPED) {
            message.piece().release(loop.chunks);
            line.send(Answers.REQUEST_BODY);
            if (message.end()) {
                handedOver(exchange, served);
            }
            return;
        }
        if (keep(exchange, message.piece())) {
            flush(exchange, served);
        }
    }

    /** Sends back what waits of the request's body, as far as the line takes it; its end only once. */
    private void flush(Exchange exchange, Served served) {
        if (exchange.mode() == Mode.STEPPED) {
            flushStepped(exchange, served);
            return;
        }
        HeldBody body = exchange.body;
        boolean ended = false;
        while (body.left() > 0) {
            if (!line.isReady()) {
                return;
            }
            body.take(loop.piece, BodyAnswer.MOST_BYTES, loop.chunks);
            ended = body.left() == 0 && exchange.endSeen && !exchange.trailersSeen;
            line.send(loop.piece.finish(3, ended));
            loop.piece.clear(loop.chunks);
        }
        if (!exchange.endSeen) {
            return;
        }
        if (exchange.trailersSeen) {
            line.send(Answers.REQUEST_TRAILERS);
        } else if (!ended) {
            line.send(loop.piece.finish(3, true));
            loop.piece.clear(loop.chunks);
        }
        handedOver(exchange, served);
    }

    private void flushStepped(Exchange exchange, Served served) {
        if (exchange.body.left() > 0) {
            exchange.body.release(loop.chunks);
            line.send(Answers.REQUEST_BODY);
        }
        if (exchange.trailersSeen) {
            line.send(Answers.REQUEST_TRAILERS);
        }
        if (exchange.endSeen) {
            handedOver(exchange, served);
        }
    }

    private void handedOver(Exchange exchange, Served served) {
        release(exchange);
        state = new Answering(served);
        if (exchange.halfClosed) {
            halfClosed();
        }
    }

    // ---- the response

    private void responseHeaders(FromProxy.ResponseHeaders message) {
        switch (state) {
            case Fresh _, Aside _ -> line.send(Answers.RESPONSE_HEADERS);
            case Collecting(Exchange exchange) -> setAside(exchange);
            case Deciding(Exchange exchange) -> setAside(exchange);
            case Sending(Exchange _, Served served) -> responses.headers(served, message);
            case Answering(Served served) -> responses.headers(served, message);
            case Ended _ -> {}
        }
    }

    /** The proxy answers by itself, because the client's body is too large for it, say: there is nothing to decide. */
    private void setAside(Exchange exchange) {
        release(exchange);
        state = new Aside(exchange.responseMode());
        line.send(Answers.RESPONSE_HEADERS);
    }

    private void responseBody(FromProxy.ResponseBody message) {
        switch (state) {
            case Aside(Mode mode) -> responses.bodyAside(mode, message);
            case Sending(Exchange _, Served served) -> responses.body(served, message);
            case Answering(Served served) -> responses.body(served, message);
            case Fresh _, Collecting _, Deciding _ -> violated("a response body came before response headers");
            case Ended _ -> message.piece().release(loop.chunks);
        }
    }

    private void responseTrailers() {
        switch (state) {
            case Aside _ -> line.send(Answers.RESPONSE_TRAILERS);
            case Sending(Exchange _, Served served) -> responses.trailers(served);
            case Answering(Served served) -> responses.trailers(served);
            case Fresh _, Collecting _, Deciding _ -> violated("response trailers came before response headers");
            case Ended _ -> {}
        }
    }

    // ---- the line

    void onReady() {
        if (state instanceof Sending(Exchange exchange, Served served) && exchange.body.left() > 0) {
            flush(exchange, served);
        }
        Served served = served();
        if (served != null) {
            responses.flush(served);
        }
    }

    /** The proxy sends nothing more but may still read. */
    void halfClosed() {
        switch (state) {
            case Deciding(Exchange exchange) -> exchange.halfClosed = true;
            case Sending(Exchange exchange, Served _) -> exchange.halfClosed = true;
            case Answering(Served served) -> {
                responses.streamEnded(served, false);
                end();
                line.close();
            }
            case Fresh _, Collecting _, Aside _, Ended _ -> {
                end();
                line.close();
            }
        }
    }

    /**
     * The picker is about to stop. A stream in the response phase whose body is not sent to us may be closed: the proxy
     * carries on and the answer arrives whole. One that still holds bytes must not be: they would be lost silently.
     */
    void drain() {
        if (state instanceof Answering(Served served) && !served.streamEndsWithResponse) {
            end();
            line.close();
        }
    }

    /** The stream is gone: how Envoy ends nearly every one. */
    void cancelled() {
        switch (state) {
            case Sending(Exchange _, Served served) -> responses.abandon(served);
            case Answering(Served served) -> responses.streamEnded(served, true);
            case Fresh _, Collecting _, Deciding _, Aside _, Ended _ -> {}
        }
        end();
        shared.events.closed();
    }

    /** The stream was closed by us, or ends because we failed. */
    void closed() {
        Served served = served();
        if (served != null) {
            responses.abandon(served);
        }
        end();
        shared.events.closed();
    }

    private void end() {
        Exchange exchange = exchange();
        if (exchange != null) {
            release(exchange);
        }
        loop.decisions.remove(deadline);
        loop.settling.remove(settling);
        state = ENDED;
    }

    private void violated(String problem) {
        shared.events.violated(problem);
        Served served = served();
        if (served != null) {
            responses.abandon(served);
        }
        end();
        line.refuse(problem);
    }

    private void release(Exchange exchange) {
        loop.decisions.remove(deadline);
        loop.settling.remove(settling);
        exchange.body.release(loop.chunks);
        shared.budget.give(exchange.charged);
        exchange.charged = 0;
        if (exchange.gzip != null) {
            exchange.gzip.close();
        }
        BodyReader reader = exchange.reader;
        if (reader != null) {
            exchange.reader = null;
            loop.give(reader);
        }
    }

    private @Nullable Exchange exchange() {
        return switch (state) {
            case Collecting(Exchange exchange) -> exchange;
            case Deciding(Exchange exchange) -> exchange;
            case Sending(Exchange exchange, Served _) -> exchange;
            case Fresh _, Answering _, Aside _, Ended _ -> null;
        };
    }

    private @Nullable Served served() {
        return switch (state) {
            case Sending(Exchange _, Served served) -> served;
            case Answering(Served served) -> served;
            case Fresh _, Collecting _, Deciding _, Aside _, Ended _ -> null;
        };
    }
}
