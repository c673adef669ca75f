package dev.plainsail.epp.routing.simulation;

import dev.plainsail.epp.datalayer.EngineReport;
import dev.plainsail.epp.datalayer.Load;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * An engine in virtual time: requests wait in order for KV room, prompts are computed one after the other at a fixed
 * speed, less what the prefix cache (least recently used blocks out first) holds; answers are written side by side, each
 * slower the more there are.
 */
final class SimulatedReplica {
    /**
     * @param tokensPerSecond prefill speed
     * @param kvBlocks of 64 tokens
     */
    record Speed(double tokensPerSecond, double stepSeconds, double perRequestSeconds, int kvBlocks, int maxRunning) {
        /** Like a 32B model on two H100. */
        static final Speed H100_PAIR = new Speed(15_928, 0.020, 0.0002, 8192, 256);
    }

    private record Decoding(double endsAtToken, Job job) implements Comparable<Decoding> {
        @Override
        public int compareTo(Decoding other) {
            return Double.compare(endsAtToken, other.endsAtToken);
        }
    }

    /** A request on this replica, and what became of it. */
    static final class Job {
        final Shape shape;
        double firstToken = Double.NaN;
        int cachedTokens;

        Job(Shape shape) {
            this.shape = shape;
        }
    }

    final Speed speed;
    private final ArrayDeque<Job> queue = new ArrayDeque<>();
    private final PriorityQueue<Decoding> decoding = new PriorityQueue<>();
    private final Map<Long, Boolean> cache = new LinkedHashMap<>(1024, 0.75f, true);
    private Job prefilling;
    private double prefillStarted;
    private double prefillEnds;
    private double tokenClock;
    private double now;
    private long usedBlocks;
    double prefillTokens;
    private double prefillSeconds;
    private long prefills;

    SimulatedReplica(Speed speed) {
        this.speed = speed;
    }

    /** Whose prompt is being computed; null if nobody's is. */
    Job prefilling() {
        return prefilling;
    }

    void add(Job job, double time) {
        advance(time);
        queue.add(job);
        begin();
    }

    /** When something happens next by itself; infinite if nothing does. */
    double nextEvent() {
        double end = Double.POSITIVE_INFINITY;
        if (!decoding.isEmpty()) {
            end = now + Math.max(0, decoding.peek().endsAtToken() - tokenClock) * secondsPerToken();
        }
        return prefilling == null ? end : Math.min(end, prefillEnds);
    }

    /** Lets the next event happen. @return the job that ended, or null when one only got its first token */
    Job step() {
        double time = nextEvent();
        boolean prefillFirst = prefilling != null && prefillEnds <= time;
        advance(time);
        if (prefillFirst) {
            Job job = prefilling;
            prefilling = null;
            prefillTokens += job.shape.inputTokens() - job.cachedTokens;
            prefillSeconds += time - prefillStarted;
            prefills++;
            job.firstToken = time;
            job.shape.touch(cache, speed.kvBlocks());
            decoding.add(new Decoding(tokenClock + job.shape.outputTokens(), job));
            begin();
            return null;
        }
        Job ended = decoding.remove().job();
        usedBlocks -= blocks(ended);
        begin();
        return ended;
    }

    private void advance(double time) {
        if (!decoding.isEmpty()) {
            tokenClock += (time - now) / secondsPerToken();
        }
        now = time;
    }

    private double secondsPerToken() {
        return speed.stepSeconds() + speed.perRequestSeconds() * decoding.size();
    }

    private void begin() {
        Job next = queue.peek();
        if (prefilling != null || next == null || decoding.size() >= speed.maxRunning()) {
            return;
        }
        if (usedBlocks > 0 && usedBlocks + blocks(next) > speed.kvBlocks()) {
            return;
        }
        queue.remove();
        usedBlocks += blocks(next);
        next.cachedTokens = Math.min(next.shape.cached(cache), next.shape.inputTokens() - 1);
        double tokens = next.shape.inputTokens() - next.cachedTokens;
        double seconds = speed.stepSeconds() + tokens / speed.tokensPerSecond();
        prefilling = next;
        prefillEnds = now + seconds;
        prefillStarted = now;
    }

    private static long blocks(Job job) {
        return ((long) job.shape.inputTokens() + job.shape.outputTokens()) / 64 + 1;
    }

    EngineReport report(double time) {
        long nanos = 60_000_000_000L + (long) (time * 1e9);
        Load load = new Load(
                nanos,
                queue.size(),
                decoding.size() + (prefilling == null ? 0 : 1),
                Math.min(1, (double) usedBlocks / speed.kvBlocks()),
                64,
                speed.kvBlocks(),
                Load.Adapters.NONE);
        EngineReport.Counters counters = new EngineReport.Counters(
                1, prefillTokens, prefillSeconds, prefills, prefillTokens, Double.NaN, Double.NaN, prefills);
        return new EngineReport(load, counters, Set.of("m"));
    }

    static void shrink(Map<Long, Boolean> cache, int blocks) {
        Iterator<Long> eldest = cache.keySet().iterator();
        for (int surplus = cache.size() - blocks; surplus > 0; surplus--) {
            eldest.next();
            eldest.remove();
        }
    }
}
