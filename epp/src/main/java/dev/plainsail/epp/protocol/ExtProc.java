package dev.plainsail.epp.protocol;

import dev.plainsail.epp.routing.Outcomes;
import dev.plainsail.epp.routing.Router;
import dev.plainsail.epp.scheduling.InferenceRequest;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What all streams share: whom they ask, how much they may hold, how they are numbered. Safe from any thread. */
final class ExtProc {
    final Router router;
    final Outcomes outcomes;
    final StreamEvents events;
    final ProtocolSettings settings;
    final MemoryBudget budget;
    final String tooLarge;
    final String overdue;
    private final AtomicLong tickets;
    private final LongSupplier nanoTime;

    /**
     * @param firstTicket larger than any ticket of an earlier run, so that a late report never meets a new request;
     *     below 2^52, because metadata carries numbers as doubles
     */
    ExtProc(
            Router router,
            Outcomes outcomes,
            StreamEvents events,
            ProtocolSettings settings,
            long firstTicket,
            LongSupplier nanoTime) {
        this.router = router;
        this.outcomes = outcomes;
        this.events = events;
        this.settings = settings;
        this.budget = new MemoryBudget(settings.maxHeldBytes());
        this.tooLarge = "the request body is longer than " + settings.maxBodyBytes() + " bytes";
        this.overdue = "no decision within " + settings.decisionTimeout().toMillis() + " ms";
        this.tickets = new AtomicLong(firstTicket);
        this.nanoTime = nanoTime;
    }

    long nextTicket() {
        return tickets.getAndIncrement();
    }

    long nanoTime() {
        return nanoTime.getAsLong();
    }

    /** Ends the reading of a body; gives what is wrong with it if that is a reason to refuse the request. */
    @Nullable
    String read(Exchange exchange, LoopState loop) {
        BodyReader reader = exchange.reader;
        if (reader == null) {
            return null;
        }
        exchange.reader = null;
        String problem = null;
        if (exchange.body.received() > 0 && exchange.wasShownWhole()) {
            if (!exchange.mayBeCut()) {
                reader.end();
            }
            problem = reader.problem();
            if (problem == null) {
                exchange.facts = reader.facts();
            }
        }
        loop.give(reader);
        return problem != null && ApiPaths.isJsonApi(exchange.head.path()) ? problem : null;
    }

    InferenceRequest requestOf(Exchange exchange) {
        BodyFacts facts = exchange.facts;
        RequestHead head = exchange.head;
        String pool = exchange.hints.pool();
        InferenceRequest request = new InferenceRequest(
                exchange.ticket,
                head.path(),
                pool == null ? head.poolHint() : pool,
                facts.model(),
                facts.streamed(),
                exchange.body.received(),
                facts.promptTokens(),
                facts.maxTokens(),
                facts.prefix(),
                exchange.headers,
                exchange.hints.subset());
        exchange.request = request;
        return request;
    }
}
