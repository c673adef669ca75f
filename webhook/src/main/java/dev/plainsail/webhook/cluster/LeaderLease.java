package dev.plainsail.webhook.cluster;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this replica is the one that writes, by a Lease that it renews every {@link #RETRY}. A killed leader is followed
 * within {@link LeaseTerm#LENGTH} and two rounds; one that stops in order gives the lease back, and the next leads within one. Losing
 * it is no error: the replica goes on serving and asks again.
 */
public final class LeaderLease implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderLease.class);
    private static final Duration RETRY = Duration.ofMillis(1500);

    private final KubernetesClient client;
    private final String namespace;
    private final String name;
    private final String identity;
    private final Runnable onChange;
    private final LeaseTerm term;
    private final Thread thread;
    private boolean said;
    private volatile boolean closed;

    private LeaderLease(Cluster cluster, String namespace, String name, String identity, Runnable onChange) {
        client = cluster.impatientClient();
        this.namespace = namespace;
        this.name = name;
        this.identity = identity;
        this.onChange = onChange;
        term = new LeaseTerm(identity);
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

    /** True only while nobody else can have taken over; may become false at any moment, so ask before each write. */
    public boolean isLeading() {
        return term.isHeld(System.nanoTime());
    }

    private void rounds() {
        try {
            while (!closed) {
                round();
                say();
                Thread.sleep(RETRY);
            }
        } catch (InterruptedException e) {
            LOG.debug("stopped");
        }
        Thread.interrupted(); // else the last request would not be sent
        release();
    }

    private void round() {
        try {
            Lease lease = lease();
            long sent = System.nanoTime();
            if (lease == null) {
                client.resource(next(0).build()).create();
                term.held(sent);
            } else if (term.mayWrite(holder(lease), length(lease), version(lease), sent)) {
                client.resource(renewed(lease))
                        .lockResourceVersion(version(lease))
                        .update();
                term.held(sent);
            }
        } catch (KubernetesClientException e) {
            // A conflict means that another replica was faster; the next round sees who. Anything else: held until it
            // is over.
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT && !closed) {
                LOG.atWarn()
                        .setMessage("the lease cannot be read or written, trying again")
                        .addKeyValue("lease", name)
                        .addKeyValue("reason", Cluster.said(e))
                        .log();
            }
        }
    }

    private void say() {
        boolean now = isLeading();
        if (said != now) {
            said = now;
            LOG.atInfo()
                    .setMessage(now ? "leading" : "not leading any more")
                    .addKeyValue("lease", name)
                    .log();
            onChange.run();
        }
    }

    private @Nullable Lease lease() {
        return client.leases().inNamespace(namespace).withName(name).get();
    }

    private static Optional<String> holder(Lease lease) {
        return Optional.ofNullable(lease.getSpec()).map(spec -> spec.getHolderIdentity());
    }

    private static Duration length(Lease lease) {
        return Optional.ofNullable(lease.getSpec())
                .map(spec -> spec.getLeaseDurationSeconds())
                .map(Duration::ofSeconds)
                .orElse(LeaseTerm.LENGTH);
    }

    private static String version(Lease lease) {
        return lease.getMetadata().getResourceVersion();
    }

    private static int transitions(Lease lease) {
        return Optional.ofNullable(lease.getSpec())
                .map(spec -> spec.getLeaseTransitions())
                .orElse(0);
    }

    private Lease renewed(Lease lease) {
        boolean ours = holder(lease).filter(identity::equals).isPresent();
        LeaseBuilder next = next(transitions(lease) + (ours ? 0 : 1));
        if (ours) {
            next.editSpec().withAcquireTime(lease.getSpec().getAcquireTime()).endSpec();
        }
        return next.build();
    }

    private LeaseBuilder next(int transitions) {
        ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
        return new LeaseBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity(identity)
                .withLeaseDurationSeconds((int) LeaseTerm.LENGTH.toSeconds())
                .withAcquireTime(now)
                .withRenewTime(now)
                .withLeaseTransitions(transitions)
                .endSpec();
    }

    /** So that the next leader need not wait. */
    private void release() {
        boolean held = isLeading();
        term.givenUp();
        if (!held) {
            return;
        }
        try {
            Lease lease = lease();
            if (lease != null && holder(lease).filter(identity::equals).isPresent()) {
                Lease free = next(transitions(lease))
                        .editSpec()
                        .withHolderIdentity("")
                        .withLeaseDurationSeconds(1)
                        .endSpec()
                        .build();
                client.resource(free).lockResourceVersion(version(lease)).update();
            }
        } catch (KubernetesClientException e) {
            LOG.atWarn()
                    .setMessage("the lease could not be given back; it runs out by itself")
                    .addKeyValue("lease", name)
                    .addKeyValue("reason", Cluster.said(e))
                    .log();
        }
    }

    /** Returns when the lease is given back, or cannot be. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
