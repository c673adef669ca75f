package dev.plainsail.e2e.engine;

import dev.plainsail.e2e.engine.Sequence.FinishReason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The scheduler of one engine: continuous batching with chunked prefill, as vLLM's. A step takes every running sequence one token
 * further, then spends what is left of the step's token budget on prompts, oldest first; a sequence that finds no free block pushes the
 * youngest running one back to the front of the queue. Pure: the caller says what time it is and lets a step's duration pass between
 * {@link #begin} and {@link #end}. Not thread-safe; a step costs O(running sequences).
 */
final class EngineCore {
    /**
     * @param maxSequences how many sequences may run at once
     * @param maxStepTokens how many tokens one step computes at most
     */
    record Limits(int maxSequences, int maxStepTokens) {}

    /** How many tokens of which sequence a step computes. */
    private record Share(Sequence sequence, int tokens) {}

    /** A step that has begun. */
    static final class Step {
        private final List<Share> shares = new ArrayList<>();
        private int tokens;
        private int prefillTokens;
        private long durationNanos;

        long durationNanos() {
            return durationNanos;
        }
    }

    private final KvCache cache;
    private final Limits limits;
    private final TimeModel time;
    private final EngineStats stats;
    private final Deque<Sequence> waiting = new ArrayDeque<>();
    private final List<Sequence> running = new ArrayList<>();

    EngineCore(KvCache cache, Limits limits, TimeModel time, EngineStats stats) {
        this.cache = cache;
        this.limits = limits;
        this.time = time;
        this.stats = stats;
    }

    void add(Sequence sequence) {
        waiting.addLast(sequence);
    }

    int running() {
        return running.size();
    }

    int waiting() {
        return waiting.size();
    }

    double cacheUsed() {
        return cache.used();
    }

    void resetCache() {
        cache.reset();
    }

    /** Adapters of the running, then of the waiting sequences. */
    List<Set<String>> adapters() {
        return List.of(adaptersOf(running), adaptersOf(waiting));
    }

    private static Set<String> adaptersOf(Iterable<Sequence> sequences) {
        Set<String> names = new TreeSet<>();
        for (Sequence sequence : sequences) {
            if (sequence.task.adapter() != null) {
                names.add(sequence.task.adapter());
            }
        }
        return names;
    }

    /** Stops a sequence at once and frees its blocks; nothing happens if it has ended. */
    void abort(Sequence sequence, long now) {
        if (!sequence.finished()) {
            waiting.remove(sequence);
            running.remove(sequence);
            finish(sequence, FinishReason.ABORT, now);
        }
    }

    /** Plans the next step, or nothing when there is no work. */
    Optional<Step> begin(long now) {
        if (running.isEmpty() && waiting.isEmpty()) {
            return Optional.empty();
        }
        Step step = new Step();
        boolean pushedBack = continueRunning(step);
        if (!pushedBack) {
            admitWaiting(step, now);
        }
        step.durationNanos = time.stepNanos(step.shares.size(), step.prefillTokens);
        return Optional.of(step);
    }

    private boolean continueRunning(Step step) {
        boolean pushedBack = false;
        for (int i = 0; i < running.size(); i++) {
            Sequence sequence = running.get(i);
            int tokens = Math.min(sequence.length() - sequence.computed, limits.maxStepTokens() - step.tokens);
            if (tokens == 0) {
                continue;
            }
            while (!cache.grow(sequence.blocks, sequence.computed + tokens)) {
                pushedBack = true;
                Sequence youngest = running.removeLast();
                pushBack(youngest);
                if (youngest == sequence) {
                    return true;
                }
            }
            share(step, sequence, tokens);
        }
        return pushedBack;
    }

    private void pushBack(Sequence sequence) {
        cache.release(sequence.blocks);
        sequence.computed = 0;
        sequence.preemptions++;
        stats.preempted();
        waiting.addFirst(sequence);
    }

    private void admitWaiting(Step step, long now) {
        while (!waiting.isEmpty() && running.size() < limits.maxSequences() && step.tokens < limits.maxStepTokens()) {
            Sequence sequence = waiting.getFirst();
            // The last token is always computed, cached or not: its output is the next token.
            int reusable = (sequence.length() - 1) / cache.blockSize();
            int cached =
                    cache.takePrefix(sequence.hashes(cache.blockSize(), reusable), sequence.blocks) * cache.blockSize();
            int tokens = Math.min(sequence.length() - cached, limits.maxStepTokens() - step.tokens);
            if (!cache.grow(sequence.blocks, cached + tokens)) {
                cache.release(sequence.blocks);
                return;
            }
            waiting.removeFirst();
            running.add(sequence);
            sequence.computed = cached;
            if (sequence.scheduledAt < 0) {
                sequence.scheduledAt = now;
                sequence.cachedTokens = cached;
                stats.scheduled(sequence);
            }
            share(step, sequence, tokens);
        }
    }

    private static void share(Step step, Sequence sequence, int tokens) {
        step.shares.add(new Share(sequence, tokens));
        step.tokens += tokens;
        // A running sequence that computes only its newest token decodes; everything else is prompt.
        if (sequence.computed + 1 < sequence.length() || sequence.generated == 0) {
            step.prefillTokens += tokens;
        }
    }

    /** Ends a step: tokens come out, answers end. Sequences that were aborted meanwhile are skipped. */
    void end(Step step, long now) {
        for (Share share : step.shares) {
            Sequence sequence = share.sequence;
            if (sequence.finished()) {
                continue; // aborted while the step ran
            }
            int before = sequence.computed / cache.blockSize();
            sequence.computed += share.tokens;
            publish(sequence, before);
            if (sequence.computed == sequence.length()) {
                emit(sequence, now);
            }
        }
        stats.stepped();
    }

    private void publish(Sequence sequence, int from) {
        int full = sequence.computed / cache.blockSize();
        List<Long> hashes = sequence.hashes(cache.blockSize(), full);
        for (int i = from; i < full; i++) {
            cache.publish(sequence.blocks.get(i), hashes.get(i));
        }
    }

    private void emit(Sequence sequence, long now) {
        String word = sequence.words.next();
        sequence.append(Tokenizer.tokens(word)[0]);
        stats.token(sequence, now);
        if (sequence.generated >= Math.min(sequence.task.maxTokens(), sequence.task.naturalLength())) {
            running.remove(sequence);
            boolean natural = sequence.generated >= sequence.task.naturalLength();
            finish(sequence, natural ? FinishReason.STOP : FinishReason.LENGTH, now);
        }
        sequence.listener.token(word, sequence.finish);
    }

    private void finish(Sequence sequence, FinishReason reason, long now) {
        cache.release(sequence.blocks);
        sequence.finish = reason;
        stats.finished(sequence, now);
    }
}
