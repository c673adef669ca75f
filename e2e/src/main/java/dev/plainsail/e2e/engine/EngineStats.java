package dev.plainsail.e2e.engine;

import dev.plainsail.e2e.engine.Sequence.FinishReason;
import java.util.EnumMap;
import java.util.Map;

/**
 * What one engine has done since its start, in vLLM's terms: prefix-cache counters move when a prompt is scheduled, prompt counters at
 * its first token, request counters and times at its end; an aborted request counts in none of the latter. Times are those that a client
 * sees, already divided by the time factor. Not thread-safe: read and written under the engine's lock.
 */
final class EngineStats {
    long prefixQueries;
    long prefixHits;
    long preemptions;
    long promptTokens;
    long promptTokensCached;
    long generationTokens;
    private int stepTokens;
    final Map<FinishReason, Long> finished = new EnumMap<>(FinishReason.class);

    final Histogram requestPromptTokens;
    final Histogram requestGenerationTokens;
    final Histogram iterationTokens = Histogram.of(1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384);
    final Histogram maxGenerationTokens;
    final Histogram paramsN = Histogram.of(1, 2, 5, 10, 20);
    final Histogram paramsMaxTokens;
    final Histogram timeToFirstToken = Histogram.firstToken();
    final Histogram interTokenLatency = Histogram.perToken();
    final Histogram timePerOutputToken = Histogram.perToken();
    final Histogram requestLatency = Histogram.latency();
    final Histogram queueTime = Histogram.latency();
    final Histogram inferenceTime = Histogram.latency();
    final Histogram prefillTime = Histogram.latency();
    final Histogram decodeTime = Histogram.latency();
    final Histogram requestPreemptions = Histogram.of(1, 2, 3, 4, 5, 10, 20);
    final Histogram prefillComputedTokens;

    EngineStats(int maxModelLength) {
        requestPromptTokens = Histogram.upTo(maxModelLength);
        requestGenerationTokens = Histogram.upTo(maxModelLength);
        maxGenerationTokens = Histogram.upTo(maxModelLength);
        paramsMaxTokens = Histogram.upTo(maxModelLength);
        prefillComputedTokens = Histogram.upTo(maxModelLength);
        for (FinishReason reason : FinishReason.values()) {
            finished.put(reason, 0L);
        }
    }

    void scheduled(Sequence sequence) {
        prefixQueries += sequence.promptTokens();
        prefixHits += sequence.cachedTokens;
    }

    void preempted() {
        preemptions++;
    }

    /** After a step: it counts with the prompts that were completed in it and the tokens that came out. */
    void stepped() {
        if (stepTokens > 0) {
            iterationTokens.observe(stepTokens);
            stepTokens = 0;
        }
    }

    void token(Sequence sequence, long now) {
        generationTokens++;
        stepTokens++;
        if (sequence.generated == 1) {
            stepTokens += sequence.promptTokens();
            promptTokens += sequence.promptTokens();
            promptTokensCached += sequence.cachedTokens;
            sequence.firstTokenAt = now;
            timeToFirstToken.observe(seconds(now - sequence.arrivedAt));
        } else {
            interTokenLatency.observe(seconds(now - sequence.lastTokenAt));
        }
        sequence.lastTokenAt = now;
    }

    void finished(Sequence sequence, long now) {
        if (sequence.requireFinish() == FinishReason.ABORT) {
            return;
        }
        finished.merge(sequence.requireFinish(), 1L, Long::sum);
        requestPromptTokens.observe(sequence.promptTokens());
        requestGenerationTokens.observe(sequence.generated);
        if (sequence.siblings.ended(sequence.generated)) {
            paramsN.observe(sequence.siblings.count);
            maxGenerationTokens.observe(sequence.siblings.longest());
        }
        paramsMaxTokens.observe(sequence.task.maxTokens());
        requestLatency.observe(seconds(now - sequence.arrivedAt));
        queueTime.observe(seconds(sequence.scheduledAt - sequence.arrivedAt));
        inferenceTime.observe(seconds(sequence.lastTokenAt - sequence.scheduledAt));
        prefillTime.observe(seconds(sequence.firstTokenAt - sequence.scheduledAt));
        decodeTime.observe(seconds(sequence.lastTokenAt - sequence.firstTokenAt));
        if (sequence.generated > 1) {
            timePerOutputToken.observe(
                    seconds(sequence.lastTokenAt - sequence.firstTokenAt) / (sequence.generated - 1));
        } else {
            timePerOutputToken.observe(0);
        }
        requestPreemptions.observe(sequence.preemptions);
        prefillComputedTokens.observe(sequence.promptTokens() - sequence.cachedTokens);
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }
}
