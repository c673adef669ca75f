package dev.plainsail.e2e.bench.admission;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;

/** Reviews sent over kept connections, a thread each. */
final class Load {
    private final InetSocketAddress address;
    private final byte[] request;
    private final int connections;

    Load(InetSocketAddress address, byte[] request, int connections) {
        this.address = address;
        this.request = request;
        this.connections = connections;
    }

    /**
     * @param latencies sorted, in nanoseconds, each from when it was due to its whole answer
     * @param took from the first to the last
     */
    record Outcome(List<Long> latencies, Duration took) {
        double perSecond() {
            return latencies.size() * 1e9 / took.toNanos();
        }

        Duration percentile(double share) {
            int index = (int) Math.min(latencies.size() - 1L, Math.round(share * latencies.size()));
            return Duration.ofNanos(latencies.get(index));
        }
    }

    /**
     * Each connection asks again as soon as it has its answer: what the webhook can do at most.
     *
     * @param number ends it, too
     */
    Outcome closed(Duration duration, long number) throws InterruptedException, IOException {
        return run(start ->
                index -> index < number && System.nanoTime() - start < duration.toNanos() ? System.nanoTime() : -1);
    }

    /** Reviews fall due at an even pace, whether earlier ones are answered or not: waiting counts as latency. */
    Outcome open(Duration duration, double perSecond) throws InterruptedException, IOException {
        long number = (long) (duration.toNanos() / 1e9 * perSecond);
        return run(start -> index -> index < number ? start + (long) (index * 1e9 / perSecond) : -1);
    }

    /** When the review of this number is due; negative when there are no more. */
    private interface Schedule {
        long dueNanos(long index);
    }

    /** @param from what falls due when, from a time at which every connection is there */
    private Outcome run(LongFunction<Schedule> from) throws InterruptedException, IOException {
        AtomicLong next = new AtomicLong();
        List<HttpsConnection> open = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            open.add(new HttpsConnection(address));
        }
        long start = System.nanoTime();
        Schedule schedule = from.apply(start);
        List<long[]> parts = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(connections)) {
            List<Future<long[]>> running = new ArrayList<>();
            for (HttpsConnection one : open) {
                running.add(threads.submit(() -> connection(one, schedule, next)));
            }
            for (Future<long[]> one : running) {
                parts.add(one.get());
            }
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        return new Outcome(
                parts.stream().flatMapToLong(Arrays::stream).sorted().boxed().toList(), took);
    }

    private long[] connection(HttpsConnection opened, Schedule schedule, AtomicLong next) throws IOException {
        long[] latencies = new long[1024];
        int count = 0;
        try (HttpsConnection connection = opened) {
            for (long due = schedule.dueNanos(next.getAndIncrement());
                    due >= 0;
                    due = schedule.dueNanos(next.getAndIncrement())) {
                for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
                    LockSupport.parkNanos(wait);
                }
                byte[] ignored = connection.exchange(request);
                if (count == latencies.length) {
                    latencies = Arrays.copyOf(latencies, 2 * count);
                }
                latencies[count++] = System.nanoTime() - due;
            }
        }
        return Arrays.copyOf(latencies, count);
    }
}
