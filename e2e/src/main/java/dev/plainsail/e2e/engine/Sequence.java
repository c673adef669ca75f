package dev.plainsail.e2e.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One prompt on its way to an answer. Touched only under the engine's lock; what the outside may know comes through its listener. */
final class Sequence {
    /** Why an answer ended; the text is vLLM's. */
    enum FinishReason {
        STOP("stop"),
        LENGTH("length"),
        ABORT("abort"),
        ERROR("error"),
        REPETITION("repetition");

        final String text;

        FinishReason(String text) {
            this.text = text;
        }
    }

    /** Hears of a sequence's progress, on the engine's thread; must not block. */
    interface Listener {
        /** @param finish null while the answer goes on */
        void token(String text, @Nullable FinishReason finish);
    }

    /**
     * What to compute.
     *
     * @param seed of the answer's words
     * @param adapter LoRA adapter, or null
     * @param naturalLength after how many tokens the answer ends by itself
     * @param maxTokens after how many it is cut; what comes first counts
     */
    record Task(
            Tokens prompt,
            @Nullable String adapter,
            @Nullable String salt,
            long seed,
            int naturalLength,
            int maxTokens) {
        Task {
            if (prompt.size() == 0 || naturalLength < 1 || maxTokens < 1) {
                throw new IllegalArgumentException(
                        "prompt of " + prompt.size() + " tokens, lengths " + naturalLength + ", " + maxTokens);
            }
        }
    }

    /** The sequences that answer one prompt, as many as the request asked for; they count as one request in some metrics. */
    static final class Siblings {
        final int count;
        private int open;
        private int longest;

        Siblings(int count) {
            this.count = count;
            this.open = count;
        }

        /** Notes that one has ended well; true for the last. */
        boolean ended(int generated) {
            longest = Math.max(longest, generated);
            return --open == 0;
        }

        int longest() {
            return longest;
        }
    }

    final Task task;
    final Siblings siblings;
    final Listener listener;
    final Words words;
    final long arrivedAt;
    final List<KvCache.Block> blocks = new ArrayList<>();
    private final List<Long> hashes = new ArrayList<>();
    private int[] tokens;
    private int length;

    /** Tokens whose keys and values are in the cache. */
    int computed;

    int cachedTokens;
    int generated;
    int preemptions;
    long scheduledAt = -1;
    long firstTokenAt;
    long lastTokenAt;

    @Nullable
    FinishReason finish;

    Sequence(Task task, Siblings siblings, Listener listener, long arrivedAt) {
        this.task = task;
        this.siblings = siblings;
        this.listener = listener;
        this.words = new Words(task.seed());
        this.arrivedAt = arrivedAt;
        this.tokens = task.prompt().toArray();
        this.length = tokens.length;
    }

    int promptTokens() {
        return task.prompt().size();
    }

    /** Prompt and answer so far. */
    int length() {
        return length;
    }

    boolean finished() {
        return finish != null;
    }

    void append(int token) {
        if (length == tokens.length) {
            tokens = Arrays.copyOf(tokens, length + Math.max(64, length / 4));
        }
        tokens[length++] = token;
        generated++;
    }

    /** Chained hashes of the first {@code count} blocks; computed once, as far as asked for. */
    List<Long> hashes(int blockSize, int count) {
        while (hashes.size() < count) {
            int from = hashes.size() * blockSize;
            long parent = hashes.isEmpty() ? KvCache.seed(task.adapter(), task.salt()) : hashes.getLast();
            hashes.add(KvCache.hash(parent, tokens, from, from + blockSize));
        }
        return hashes.subList(0, count);
    }

    FinishReason requireFinish() {
        return Objects.requireNonNull(finish);
    }
}
