package dev.plainsail.epp.routing;

import dev.plainsail.epp.scheduling.InferenceRequest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.StringJoiner;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Keeps some decisions for people: those of a share of all requests, and those whose client asked for an explanation. The
 * last ones can be looked at with all their numbers, and each is a line of the log. Lines are written by a thread of its own, and when that is behind, decisions are
 * left out, so that a slow log never holds an event loop.
 */
public final class DecisionLog implements AutoCloseable {
    /** Asks for the explanation, with the value {@code 1}; the response carries it under the same name. */
    public static final String HEADER = "x-plainsail-explain";

    private static final Logger LOG = LoggerFactory.getLogger(DecisionLog.class);
    private static final int KEPT = 256;
    private static final int WAITING = 1024;
    private static final double FRACTION = 0x1p-53;

    private final boolean onRequest;
    private final double share;
    private final int mostKept;
    private final JsonMapper json = JsonMapper.builder().build();
    private final BlockingQueue<Decision> waiting = new ArrayBlockingQueue<>(WAITING);
    private final Deque<String> kept = new ArrayDeque<>();
    private final LongAdder leftOut = new LongAdder();
    private final Thread writer =
            Thread.ofPlatform().daemon().name("decision log").unstarted(this::run);

    private DecisionLog(boolean onRequest, double share, int mostKept) {
        this.onRequest = onRequest;
        this.share = share;
        this.mostKept = mostKept;
    }

    /**
     * @param onRequest whether clients may ask for explanations
     * @param share of the requests that is kept and logged, 0 to 1
     */
    public static DecisionLog start(boolean onRequest, double share) {
        return start(onRequest, share, KEPT);
    }

    static DecisionLog start(boolean onRequest, double share, int mostKept) {
        DecisionLog log = new DecisionLog(onRequest, share, mostKept);
        log.writer.start();
        return log;
    }

    /** Whether somebody wants to know how the request is decided. */
    boolean wants(InferenceRequest request) {
        return isAskedBy(request) || isSampled(request);
    }

    /** Whether the client is to be told. */
    boolean isAskedBy(InferenceRequest request) {
        return onRequest && "1".equals(request.headers().get(HEADER));
    }

    /** Whether the request is one of the share. The same ticket gives the same answer. */
    boolean isSampled(InferenceRequest request) {
        return share > 0 && (mixed(request.ticket()) >>> 11) * FRACTION < share;
    }

    private static long mixed(long ticket) {
        long z = ticket * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        return z ^ (z >>> 27);
    }

    void add(Decision decision) {
        if (!waiting.offer(decision)) {
            leftOut.increment();
        }
    }

    private void run() {
        try {
            while (true) {
                write(waiting.take());
            }
        } catch (InterruptedException e) {
            LOG.debug("no more decisions are written");
        }
    }

    private void write(Decision decision) {
        String line = json.writeValueAsString(decision);
        synchronized (kept) {
            if (kept.size() == mostKept) {
                kept.removeFirst();
            }
            kept.addLast(line);
        }
        LOG.atInfo()
                .setMessage("decision")
                .addKeyValue("ticket", decision.ticket())
                .addKeyValue("pool", decision.pool())
                .addKeyValue("profile", decision.profile())
                .addKeyValue("model", decision.model())
                .addKeyValue("endpoint", decision.chosen().getFirst())
                .addKeyValue("why", decision.headerText())
                .log();
    }

    /** The last decisions that were kept, one a line, the newest last. */
    public String page() {
        StringJoiner lines = new StringJoiner("\n", "", "\n").setEmptyValue("");
        synchronized (kept) {
            kept.forEach(lines::add);
        }
        return lines.toString();
    }

    /** Decisions that were to be kept and that the log had no time for. */
    public long leftOut() {
        return leftOut.sum();
    }

    @Override
    public void close() {
        writer.interrupt();
    }
}
