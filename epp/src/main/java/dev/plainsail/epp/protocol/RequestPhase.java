package dev.plainsail.epp.protocol;

import dev.plainsail.epp.protocol.Exchange.Mode;
import dev.plainsail.epp.routing.Reason;
import dev.plainsail.epp.routing.Verdict;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The body of a request on its way in, against what may be held, and on its way back to the proxy. */
final class RequestPhase {
    private final ExtProc shared;
    private final LoopState loop;
    private final Line line;

    RequestPhase(ExtProc shared, LoopState loop, Line line) {
        this.shared = shared;
        this.loop = loop;
        this.line = line;
    }

    /**
     * Takes a piece into the body that waits.
     *
     * @param reads whether the decision still waits for the body, so that it is read
     * @return why the request is refused instead; null: it is not
     */
    Verdict.@Nullable Reject take(Exchange exchange, Piece piece, boolean reads) {
        long held = piece.held();
        if (exchange.body.received() + piece.size() > shared.settings.maxBodyBytes()) {
            return new Verdict.Reject(Reason.BODY_TOO_LARGE, shared.tooLarge, 0);
        }
        if (!shared.budget.take(held)) {
            return new Verdict.Reject(Reason.MEMORY_FULL, "the picker's memory for request bodies is full", 1);
        }
        exchange.charged += held;
        exchange.body.add(piece);
        BodyReader reader = exchange.reader;
        if (reader != null && reads) {
            for (int i = 0; i < piece.spans(); i++) {
                exchange.show(reader, piece.array(i), piece.from(i), piece.to(i));
            }
        }
        return null;
    }

    /**
     * Names the endpoint, and sends back what waits of the body.
     *
     * @param told response headers for the client
     * @return whether the proxy has all of the request
     */
    boolean forward(Exchange exchange, Verdict.Forward forward, Map<String, String> told) {
        boolean changed = rewrite(exchange, forward.model());
        List<String> remove = exchange.head.remove();
        if (exchange.decidesOnBody() && exchange.mode() == Mode.BUFFERED) {
            byte[] body = changed ? exchange.body.toByteArray() : null;
            Destination destination = DestinationAnswers.destination(forward.inOrder(), told);
            line.send(new FixedAnswer(
                    Answers.routed(3, destination, exchange.ticket, remove, body, !exchange.mayBeCut())));
            return true;
        }
        line.send(loop.destinations.routed(forward.inOrder(), exchange.ticket, remove, told));
        return exchange.mode() == Mode.NONE
                || (exchange.endSeen && exchange.body.received() == 0 && !exchange.whole)
                || flush(exchange);
    }

    private static boolean rewrite(Exchange exchange, @Nullable String model) {
        boolean can = exchange.gzip == null && !exchange.facts.modelSpans().isEmpty();
        if (model == null || !can) {
            return false;
        }
        exchange.body.replace(exchange.facts.modelSpans(), Rewrite.value(model));
        return true;
    }

    /**
     * Sends back what waits of the body, as far as the line takes it; its end only once.
     *
     * @return whether the proxy has all of the request
     */
    boolean flush(Exchange exchange) {
        if (exchange.mode() == Mode.STEPPED) {
            return flushStepped(exchange);
        }
        HeldBody body = exchange.body;
        boolean ended = false;
        while (body.left() > 0) {
            if (!line.isReady()) {
                return false;
            }
            body.take(loop.piece, BodyAnswer.MOST_BYTES, loop.chunks);
            ended = body.left() == 0 && exchange.endSeen && !exchange.trailersSeen;
            send(ended);
        }
        if (!exchange.endSeen) {
            return false;
        }
        if (exchange.trailersSeen) {
            line.send(Answers.REQUEST_TRAILERS);
        } else if (!ended) {
            send(true);
        }
        return true;
    }

    private boolean flushStepped(Exchange exchange) {
        if (exchange.body.left() > 0) {
            exchange.body.release(loop.chunks);
            line.send(Answers.REQUEST_BODY);
        }
        if (exchange.trailersSeen) {
            line.send(Answers.REQUEST_TRAILERS);
        }
        return exchange.endSeen;
    }

    /** Gives back all that is held for the request. */
    void release(Exchange exchange) {
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

    private void send(boolean end) {
        line.send(loop.piece.finish(3, end));
        loop.piece.clear(loop.chunks);
    }
}
