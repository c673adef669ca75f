package dev.plainsail.webhook;

import dev.plainsail.certs.CertifiedKey;
import dev.plainsail.certs.ReloadingKeyManager;
import dev.plainsail.certs.authority.Authority;
import dev.plainsail.certs.authority.AuthorityKeeper;
import dev.plainsail.certs.authority.Issuer;
import dev.plainsail.webhook.cluster.Cluster;
import dev.plainsail.webhook.cluster.ConfigurationBundleTarget;
import dev.plainsail.webhook.cluster.SecretAuthorityStore;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the rounds of our own authority: at the start until one succeeds, then every few seconds. A round that changes nothing
 * reads two objects; that is how a deleted Secret or caBundle is back within seconds. Only the leader writes; the others
 * serve what it stored.
 */
final class OwnAuthority implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OwnAuthority.class);
    private static final Duration LONGEST_ROUND = Duration.ofSeconds(10);
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final AuthorityKeeper keeper;
    private final Clock clock;
    private final BooleanSupplier leading;
    private final Duration round;
    private final CountDownLatch first = new CountDownLatch(1);
    private final Thread thread;
    private final LongAdder failures = new LongAdder();
    private volatile @Nullable ReloadingKeyManager keyManager;

    private OwnAuthority(
            Settings settings, Settings.Certificates.Own own, Cluster cluster, Clock clock, BooleanSupplier leading) {
        this.clock = clock;
        this.leading = leading;
        // Everybody must have heard of a change well within the overlap.
        Duration fifth = own.policy().overlap().dividedBy(5);
        round = fifth.compareTo(LONGEST_ROUND) < 0 ? fifth : LONGEST_ROUND;
        keeper = new AuthorityKeeper(
                new Authority(own.policy(), new Issuer(new SecureRandom())),
                new SecretAuthorityStore(cluster, settings.namespace(), own.secret()),
                new ConfigurationBundleTarget(cluster, settings.configuration(), settings.namespace(), own.service()),
                this::serve);
        thread = Thread.ofPlatform().daemon().name("authority").unstarted(this::rounds);
    }

    static OwnAuthority start(
            Settings settings, Settings.Certificates.Own own, Cluster cluster, Clock clock, BooleanSupplier leading) {
        OwnAuthority authority = new OwnAuthority(settings, own, cluster, clock, leading);
        authority.thread.start();
        return authority;
    }

    /** Waits for the first certificate. */
    ReloadingKeyManager keyManager() throws InterruptedException {
        first.await();
        ReloadingKeyManager made = keyManager;
        if (made == null) {
            throw new IllegalStateException("the first round set it");
        }
        return made;
    }

    /** Rounds that failed since the start. */
    long failures() {
        return failures.sum();
    }

    private void serve(CertifiedKey pair) {
        ReloadingKeyManager served = keyManager;
        if (served == null) {
            keyManager = new ReloadingKeyManager(pair);
            first.countDown();
        } else {
            served.use(pair);
        }
    }

    private void rounds() {
        try {
            while (true) {
                Thread.sleep(round() ? round : RETRY);
            }
        } catch (InterruptedException e) {
            LOG.debug("stopped");
        }
    }

    private boolean round() {
        try {
            if (leading.getAsBoolean()) {
                keeper.lead(clock.instant());
                return true;
            }
            return keeper.follow();
        } catch (RuntimeException e) {
            failures.increment();
            // The API server is away or refuses: what is served stays good for days, so only the next round matters.
            LOG.atWarn()
                    .setMessage("the certificate authority's round failed, trying again")
                    .addKeyValue("reason", e.getMessage())
                    .log();
            return false;
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
