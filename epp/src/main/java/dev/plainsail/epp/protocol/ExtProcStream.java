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

    private final ExtProc shared;
    private final LoopState loop;
    private final Line line;
    private final RequestPhase requests;
    private final ResponsePhase responses;
    private final Deadlines.Node deadline = new Deadlines.Node(this::decisionOverdue);
    private final Deadlines.Node settling = new Deadlines.Node(this::settled);
    private State state = FRESH;

    ExtProcStream(ExtProc shared, LoopState loop, Line line) {
        this.shared = shared;
        this.loop = loop;
        this.line = line;
        this.requests = new RequestPhase(shared, loop, line);
        this.responses = new ResponsePhase(shared, loop, line);
        shared.events.opened();
    }

    State state() {
        return state;
    }

    /** Whether the next message may come; if not, {@link #onReady} will make it so. */
    boolean wantsMore() {
        Served served = state.served();
        return served == null || !responses.isFull(served);
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

    /** Takes a piece into the body that waits; false if the request was refused for it. */
    private boolean keep(Exchange exchange, Piece piece) {
        Verdict.Reject refused = requests.take(exchange, piece, state instanceof Collecting);
        if (refused != null) {
            refuse(refused);
        }
        return refused == null;
    }

    private void requestTrailers() {
        switch (state) {
            case Fresh _ -> violated("request trailers came before the headers");
            case Collecting(Exchange exchange) -> {
                exchange.endWithTrailers();
                exchange.completeNanos = shared.nanoTime();
                decide(exchange);
            }
            case Deciding(Exchange exchange) -> exchange.endWithTrailers();
            case Sending(Exchange exchange, Served served) -> {
                exchange.endWithTrailers();
                flush(exchange, served);
            }
            case Answering _, Aside _ -> line.send(Answers.REQUEST_TRAILERS);
            case Ended _ -> {}
        }
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
            case Verdict.Reply reply -> finish(Answers.replied(reply));
        }
    }

    private void decisionOverdue() {
        if (state instanceof Collecting || state instanceof Deciding) {
            refuse(new Verdict.Reject(Reason.DECISION_TIMEOUT, shared.overdue, 1));
        }
    }

    private void refuse(Verdict.Reject reject) {
        Exchange exchange = state.exchange();
        shared.events.refused(reject.reason(), exchange == null ? null : exchange.request);
        finish(Answers.refused(reject));
    }

    /** Answers in the engine's place; nothing more comes after it. */
    private void finish(Answer answer) {
        line.send(answer);
        abandon();
        line.close();
    }

    private void forward(Exchange exchange, Verdict.Forward forward, Map<String, String> told) {
        loop.decisions.remove(deadline);
        Served served = new Served(exchange, forward.inOrder().getFirst(), forward.inFlight());
        served.told = told;
        state = new Sending(exchange, served);
        if (exchange.request != null) {
            shared.events.forwarded(exchange.request, forward.model(), shared.nanoTime() - exchange.completeNanos);
        }
        if (requests.forward(exchange, forward, told)) {
            handedOver(exchange, served);
        }
    }

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

    /** Sends back what waits of the request, as far as the line takes it. */
    private void flush(Exchange exchange, Served served) {
        if (requests.flush(exchange)) {
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

    void onReady() {
        if (state instanceof Sending(Exchange exchange, Served served) && exchange.body.left() > 0) {
            flush(exchange, served);
        }
        Served served = state.served();
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
        abandon();
        shared.events.closed();
    }

    /** Ends a request that will not get as far as its endpoint, or no farther than it got. */
    private void abandon() {
        Served served = state.served();
        if (served != null) {
            responses.abandon(served);
        }
        end();
    }

    private void end() {
        Exchange exchange = state.exchange();
        if (exchange != null) {
            release(exchange);
        }
        loop.decisions.remove(deadline);
        loop.settling.remove(settling);
        state = ENDED;
    }

    private void violated(String problem) {
        shared.events.violated(problem);
        abandon();
        line.refuse(problem);
    }

    private void release(Exchange exchange) {
        loop.decisions.remove(deadline);
        loop.settling.remove(settling);
        requests.release(exchange);
    }
}
