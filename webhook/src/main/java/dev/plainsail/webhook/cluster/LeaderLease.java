package dev.plainsail.webhook.cluster;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfig;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this replica is the one that writes. A leader that cannot renew steps down {@link #LEASE} minus {@link #RENEW}
 * before another may take over; one that stops in order gives the lease back, and the next leads within {@link #RETRY}.
 * Losing it is no error: the replica goes on serving and asks again.
 */
public final class LeaderLease implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderLease.class);
    private static final Duration LEASE = Duration.ofSeconds(12);
    private static final Duration RENEW = Duration.ofSeconds(8);
    private static final Duration RETRY = Duration.ofSeconds(2);

    private final KubernetesClient client;
    private final LeaderElectionConfig config;
    private final Runnable onChange;
    private final Thread thread;
    private volatile boolean leading;
    private volatile boolean closed;
    private volatile @Nullable CompletableFuture<?> round;

    private LeaderLease(Cluster cluster, String namespace, String name, String identity, Runnable onChange) {
        client = cluster.client();
        this.onChange = onChange;
        config = new LeaderElectionConfigBuilder()
                .withName(name)
                .withLock(new LeaseLock(namespace, name, identity))
                .withLeaseDuration(LEASE)
                .withRenewDeadline(RENEW)
                .withRetryPeriod(RETRY)
                .withReleaseOnCancel(true)
                .withLeaderCallbacks(new LeaderCallbacks(() -> lead(true), () -> lead(false), leader -> {}))
                .build();
        thread = Thread.ofPlatform().daemon().name("leader-lease").unstarted(this::rounds);
    }

    /**
     * @param identity of this process, never used by another one
     * @param onChange called on the lease's thread after each change; must return at once
     */
    public static LeaderLease start(
            Cluster cluster, String namespace, String name, String identity, Runnable onChange) {
        LeaderLease lease = new LeaderLease(cluster, namespace, name, identity, onChange);
        lease.thread.start();
        return lease;
    }

    public boolean isLeading() {
        return leading;
    }

    private void lead(boolean now) {
        if (leading != now) {
            leading = now;
            LOG.atInfo()
                    .setMessage(now ? "leading" : "not leading any more")
                    .addKeyValue("lease", config.getName())
                    .log();
            onChange.run();
        }
    }

    private void rounds() {
        try {
            while (!closed) {
                CompletableFuture<?> started =
                        client.leaderElector().withConfig(config).build().start();
                round = started;
                try {
                    started.join();
                } catch (CancellationException e) {
                    LOG.debug("stopped");
                } catch (CompletionException e) {
                    LOG.atWarn()
                            .setMessage("the lease cannot be held, trying again")
                            .addKeyValue("lease", config.getName())
                            .addKeyValue("reason", String.valueOf(e.getCause()))
                            .log();
                }
                lead(false);
                Thread.sleep(RETRY);
            }
        } catch (InterruptedException e) {
            LOG.debug("stopped");
        }
    }

    @Override
    public void close() {
        closed = true;
        CompletableFuture<?> running = round;
        if (running != null) {
            running.cancel(true);
        }
        thread.interrupt();
    }
}
