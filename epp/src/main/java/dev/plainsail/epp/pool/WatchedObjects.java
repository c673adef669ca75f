package dev.plainsail.epp.pool;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.Listable;
import io.fabric8.kubernetes.client.dsl.Watchable;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Objects of one kind, listed and then watched, for ever. An informer of our own, because a picker must not trust a
 * silent connection: a watch that says nothing, not even a bookmark, for {@link Timing#silence} is cut and everything
 * is listed again; everything is listed again every {@link Timing#relist} in any case. A list replaces the whole view at
 * once, so there is no empty moment; while the API server is away the last view stays (fail open).
 *
 * @param <T> the object as the API has it
 * @param <V> what is kept of it
 */
final class WatchedObjects<T extends HasMetadata, V> implements AutoCloseable {
    /** How long to wait for what. */
    record Timing(Duration serverTimeout, Duration silence, Duration relist, Duration firstRetry, Duration lastRetry) {
        static final Timing DEFAULT = new Timing(
                Duration.ofSeconds(120),
                Duration.ofSeconds(150),
                Duration.ofMinutes(10),
                Duration.ofSeconds(1),
                Duration.ofSeconds(30));
    }

    private static final Logger LOG = LoggerFactory.getLogger(WatchedObjects.class);
    private static final long PAGE = 500;

    private sealed interface Event<T> {
        record Seen<T>(Watcher.Action action, T object) implements Event<T> {}

        record Closed<T>(@Nullable WatcherException cause) implements Event<T> {}
    }

    private final String what;
    private final Listable<? extends KubernetesResourceList<T>> lister;
    private final Watchable<T> watchable;
    private final Function<T, V> view;
    private final Consumer<Collection<V>> listener;
    private final Timing timing;
    private final Map<String, V> byKey = new TreeMap<>();
    private final Thread thread;
    private volatile boolean synced;
    private volatile boolean closed;
    private volatile long heardAtNanos = System.nanoTime();

    <Q extends Listable<? extends KubernetesResourceList<T>> & Watchable<T>> WatchedObjects(
            String what, Q query, Function<T, V> view, Consumer<Collection<V>> listener, Timing timing) {
        this.what = what;
        this.lister = query;
        this.watchable = query;
        this.view = view;
        this.listener = listener;
        this.timing = timing;
        this.thread = Thread.ofVirtual().name("watch " + what).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    boolean synced() {
        return synced;
    }

    long secondsSinceHeard() {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - heardAtNanos);
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }

    private void run() {
        long retryMillis = timing.firstRetry().toMillis();
        while (!closed) {
            try {
                String version = list();
                retryMillis = timing.firstRetry().toMillis();
                watchUntilRelist(version);
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                if (closed) {
                    return;
                }
                LOG.warn(
                        "cannot list {}: {}; what was last seen stays, next try in {} ms",
                        what,
                        e.getMessage(),
                        retryMillis);
                if (!sleep(retryMillis + ThreadLocalRandom.current().nextLong(retryMillis / 2 + 1))) {
                    return;
                }
                retryMillis = Math.min(timing.lastRetry().toMillis(), retryMillis * 2);
            }
        }
    }

    private static boolean sleep(long millis) {
        try {
            Thread.sleep(millis);
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    private String list() {
        Map<String, V> fresh = new TreeMap<>();
        String version = "";
        String next = null;
        do {
            ListOptions options =
                    new ListOptionsBuilder().withLimit(PAGE).withContinue(next).build();
            KubernetesResourceList<T> page = lister.list(options);
            page.getItems().forEach(item -> fresh.put(key(item), view.apply(item)));
            version = page.getMetadata().getResourceVersion();
            next = page.getMetadata().getContinue();
        } while (next != null && !next.isEmpty());
        heard();
        byKey.clear();
        byKey.putAll(fresh);
        publish();
        return version;
    }

    private void watchUntilRelist(String listed) throws InterruptedException {
        String version = listed;
        long relistAt = System.nanoTime() + timing.relist().toNanos();
        while (!closed && version != null && System.nanoTime() < relistAt) {
            version = watchOnce(version, relistAt);
        }
    }

    /** @return the version to go on from; null: list again */
    private @Nullable String watchOnce(String from, long relistAt) throws InterruptedException {
        BlockingQueue<Event<T>> events = new LinkedBlockingQueue<>();
        ListOptions options = new ListOptionsBuilder()
                .withResourceVersion(from)
                .withAllowWatchBookmarks(true)
                .withTimeoutSeconds(timing.serverTimeout().toSeconds())
                .build();
        String version = from;
        try (Watch _ = watchable.watch(options, new Queueing<>(events))) {
            while (System.nanoTime() < relistAt) {
                long patience = Math.min(timing.silence().toNanos(), Math.max(1, relistAt - System.nanoTime()));
                Event<T> event = events.poll(patience, TimeUnit.NANOSECONDS);
                if (event == null) {
                    return null;
                }
                heard();
                boolean changed = false;
                for (; event != null; event = events.poll()) {
                    switch (event) {
                        case Event.Closed<T>(WatcherException cause) -> {
                            publishIf(changed);
                            return afterClose(version, cause);
                        }
                        case Event.Seen<T>(Watcher.Action action, T object) -> {
                            if (action == Watcher.Action.ERROR) {
                                publishIf(changed);
                                return null;
                            }
                            version = object.getMetadata().getResourceVersion();
                            changed |= apply(action, object);
                        }
                    }
                }
                publishIf(changed);
            }
        }
        return null;
    }

    private @Nullable String afterClose(String version, @Nullable WatcherException cause) throws InterruptedException {
        if (cause != null && cause.isHttpGone()) {
            return null;
        }
        if (cause != null
                && cause.getCause() instanceof KubernetesClientException refused
                && refused.getCode() >= HttpURLConnection.HTTP_BAD_REQUEST) {
            return null;
        }
        Thread.sleep(timing.firstRetry().toMillis() / 4);
        return version;
    }

    private boolean apply(Watcher.Action action, T object) {
        return switch (action) {
            case ADDED, MODIFIED -> {
                V seen = view.apply(object);
                yield !seen.equals(byKey.put(key(object), seen));
            }
            case DELETED -> byKey.remove(key(object)) != null;
            case BOOKMARK, ERROR -> false;
        };
    }

    /** A late DELETE of one object must not remove its successor of the same name: the UID is in the key. */
    private static String key(HasMetadata object) {
        return object.getMetadata().getNamespace() + "/" + object.getMetadata().getName() + "#"
                + object.getMetadata().getUid();
    }

    private void publishIf(boolean changed) {
        if (changed) {
            publish();
        }
    }

    /** Whatever the listener throws must not end the loop. */
    private void publish() {
        try {
            listener.accept(List.copyOf(byKey.values()));
            synced = true;
        } catch (RuntimeException e) {
            LOG.error("a change of {} could not be taken over; the next one is tried again", what, e);
        }
    }

    private void heard() {
        heardAtNanos = System.nanoTime();
    }

    private record Queueing<T>(BlockingQueue<Event<T>> events) implements Watcher<T> {
        @Override
        public void eventReceived(Action action, T object) {
            events.add(new Event.Seen<>(action, object));
        }

        @Override
        public void onClose(@Nullable WatcherException cause) {
            events.add(new Event.Closed<>(cause));
        }

        @Override
        public void onClose() {
            events.add(new Event.Closed<>(null));
        }
    }
}
