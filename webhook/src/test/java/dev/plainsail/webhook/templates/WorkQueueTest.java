package dev.plainsail.webhook.templates;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class WorkQueueTest {
    private long nowNanos = 5;
    private final WorkQueue<String> queue = new WorkQueue<>(() -> nowNanos);

    @Test
    void keyThatWaitsIsNotAddedTwice() {
        queue.add("a");
        queue.add("a");
        assertThat(queue.poll()).hasValue("a");
        assertThat(queue.poll()).isEmpty();
    }

    @Test
    void earlierTimeWins() {
        queue.add("a", Duration.ofSeconds(10));
        queue.add("a", Duration.ofSeconds(1));
        queue.add("a", Duration.ofSeconds(5));
        nowNanos += Duration.ofSeconds(1).toNanos();
        assertThat(queue.poll()).hasValue("a");
        nowNanos += Duration.ofSeconds(20).toNanos();
        assertThat(queue.poll()).isEmpty();
    }

    @Test
    void retriesWaitTwiceAsLongEachTimeUpToAMinute() {
        long before = nowNanos;
        for (long millis = 50; millis < 60_000; millis *= 2) {
            queue.retry("a");
            nowNanos += millis * 1_000_000 - 1;
            assertThat(queue.poll()).isEmpty();
            nowNanos += 1;
            assertThat(queue.poll()).hasValue("a");
        }
        for (int i = 0; i < 50; i++) {
            queue.retry("a");
            nowNanos += Duration.ofMinutes(1).toNanos();
            assertThat(queue.poll()).hasValue("a");
        }
        queue.succeeded("a");
        queue.retry("a");
        nowNanos += Duration.ofMillis(50).toNanos();
        assertThat(queue.poll()).hasValue("a");
        assertThat(nowNanos).isGreaterThan(before);
    }

    /** Against a map of key to earliest time. */
    @Test
    void agreesWithANaiveModel() {
        Random random = new Random(1);
        Map<String, Long> model = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            if (random.nextInt(3) > 0) {
                String key = "k" + random.nextInt(30);
                long delay = random.nextInt(1000);
                queue.add(key, Duration.ofNanos(delay));
                model.merge(key, nowNanos + delay, Math::min);
            } else {
                nowNanos += random.nextInt(300);
                Optional<String> got = queue.poll();
                long earliest =
                        model.values().stream().mapToLong(at -> at).min().orElse(Long.MAX_VALUE);
                assertThat(got.isPresent()).isEqualTo(earliest <= nowNanos);
                got.ifPresent(key -> assertThat(model.remove(key)).isEqualTo(earliest));
            }
            assertThat(queue.size()).isEqualTo(model.size());
        }
    }

    @Test
    void takeWaitsForAKeyFromAnotherThread() throws Exception {
        WorkQueue<String> live = new WorkQueue<>(System::nanoTime);
        try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<String> taken = thread.submit(live::take);
            live.add("late", Duration.ofMillis(30));
            assertThat(taken.get()).isEqualTo("late");
        }
    }
}
