package dev.plainsail.epp.protocol;

import dev.plainsail.epp.protocol.Exchange.Mode;
import java.util.Map;

/**
 * The answer of the engine on its way past us, where the proxy insists on showing it.
 *
 * <p>In duplex mode every byte must be sent back. The pieces of one stream that arrive in one turn of the loop go back
 * as one message at the end of the turn: nothing is delayed, because the transport flushes no earlier, and under load
 * there are far fewer messages.
 */
final class ResponsePhase {
    private static final long MOST_ECHO_BYTES = 256 * 1024;

    private final ExtProc shared;
    private final LoopState loop;
    private final Line line;

    ResponsePhase(ExtProc shared, LoopState loop, Line line) {
        this.shared = shared;
        this.loop = loop;
        this.line = line;
    }

    void headers(Served served, FromProxy.ResponseHeaders message) {
        String status = message.headers().get(":status");
        served.status = status == null || status.length() != 3 ? 0 : Integer.parseInt(status);
        if (message.hints().served() != null) {
            served.servedBy = message.hints().served();
        }
        if (shared.settings.responseUsage() && !message.end() && mayTellUsage(message.headers())) {
            served.usage = new UsageReader();
        }
        line.send(answer(served));
        if (message.end()) {
            ended(served);
        }
    }

    /** Compressed answers are passed on unread. */
    private static boolean mayTellUsage(WireHeaders headers) {
        String type = headers.get("content-type");
        String coding = headers.get("content-encoding");
        return (coding == null || coding.equals("identity"))
                && type != null
                && (type.contains("json") || type.startsWith("text/event-stream"));
    }

    private Answer answer(Served served) {
        boolean named = shared.settings.endpointHeader();
        String by = served.servedBy;
        if (!served.told.isEmpty()) {
            String endpoint = by == null ? served.endpoint.hostPort() : by;
            return new FixedAnswer(Answers.responseHeaders(named ? endpoint : null, served.told));
        }
        if (!named) {
            return Answers.RESPONSE_HEADERS;
        }
        return by == null
                ? loop.destinations.responseHeaders(served.endpoint)
                : new FixedAnswer(Answers.responseHeaders(by, Map.of()));
    }

    void body(Served served, FromProxy.ResponseBody message) {
        Piece piece = message.piece();
        served.responseBytes += piece.size();
        if (served.firstTokenNanos < 0 && piece.size() > 0) {
            served.firstTokenNanos = shared.nanoTime() - served.startNanos;
            served.inFlight.firstToken();
        }
        UsageReader reader = served.usage;
        if (reader != null) {
            for (int i = 0; i < piece.spans(); i++) {
                reader.read(piece.array(i), piece.from(i), piece.to(i));
            }
        }
        if (served.responseMode != Mode.DUPLEX) {
            piece.release(loop.chunks);
            line.send(Answers.RESPONSE_BODY);
            if (message.end()) {
                ended(served);
            }
            return;
        }
        if (served.endSeen) {
            piece.release(loop.chunks);
            return;
        }
        served.echo().add(piece);
        served.endSeen = message.end();
        plan(served);
    }

    void trailers(Served served) {
        if (served.endSeen) {
            return;
        }
        served.endSeen = true;
        served.trailersSeen = true;
        plan(served);
    }

    private void plan(Served served) {
        if (!served.flushPlanned) {
            served.flushPlanned = true;
            line.execute(() -> flush(served));
        }
    }

    /** Whether so much of the response waits to be sent back that no more of it should come. */
    boolean isFull(Served served) {
        return served.echo != null && served.echo.left() >= MOST_ECHO_BYTES;
    }

    /** Sends back what waits of the response's body, as far as the line takes it. */
    void flush(Served served) {
        served.flushPlanned = false;
        if (served.over) {
            return;
        }
        HeldBody echo = served.echo;
        boolean ended = false;
        while (echo != null && echo.left() > 0) {
            if (!line.isReady()) {
                return;
            }
            echo.take(loop.piece, BodyAnswer.MOST_BYTES, loop.chunks);
            ended = echo.left() == 0 && served.endSeen && !served.trailersSeen;
            send(ended);
        }
        if (!served.endSeen) {
            return;
        }
        if (served.trailersSeen) {
            line.send(Answers.RESPONSE_TRAILERS);
        } else if (!ended) {
            send(true);
        }
        ended(served);
    }

    private void send(boolean end) {
        line.send(loop.piece.finish(4, end));
        loop.piece.clear(loop.chunks);
    }

    /** A body of an answer that the proxy made itself. */
    void bodyAside(Mode mode, FromProxy.ResponseBody message) {
        if (mode != Mode.DUPLEX) {
            message.piece().release(loop.chunks);
            line.send(Answers.RESPONSE_BODY);
            return;
        }
        HeldBody echo = new HeldBody();
        echo.add(message.piece());
        do {
            echo.take(loop.piece, BodyAnswer.MOST_BYTES, loop.chunks);
            send(echo.left() == 0 && message.end());
        } while (echo.left() > 0);
    }

    private void ended(Served served) {
        if (!served.over) {
            over(served, false);
        }
    }

    /**
     * The proxy has ended the stream after the request was handed over. Where it shows us the response, that is the end
     * of the response; where it does not, the response goes on without us and the access log tells of its end.
     */
    void streamEnded(Served served, boolean cut) {
        if (!served.over && served.streamEndsWithResponse) {
            over(served, cut);
        }
    }

    /** The request did not get as far as the endpoint. */
    void abandon(Served served) {
        if (!served.over) {
            served.over = true;
            served.inFlight.ended();
        }
    }

    private void over(Served served, boolean clientGone) {
        served.over = true;
        if (served.echo != null) {
            served.echo.release(loop.chunks);
        }
        if (served.status != 0 || clientGone) {
            shared.outcomes.accept(served.ticket, served.outcome(shared.nanoTime(), clientGone));
        }
        served.inFlight.ended();
    }
}
