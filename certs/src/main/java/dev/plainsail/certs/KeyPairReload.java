package dev.plainsail.certs;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a {@link ReloadingKeyManager} equal to two files. A pair that cannot be served is logged and counted, and the last
 * good one stays: a half-written renewal must not take a running server down. Only the first pair must be good.
 */
public final class KeyPairReload implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KeyPairReload.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final KeyPairFiles files;
    private final ReloadingKeyManager keyManager;
    private final LongAdder reloads = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final FileWatch watch;

    private KeyPairReload(KeyPairFiles files, Duration interval) throws UnusableKeyPairException {
        this.files = files;
        keyManager = new ReloadingKeyManager(files.read());
        watch = FileWatch.start(files.paths(), interval, this::reload);
        reload(); // a change between the first reading and the watch's own
    }

    public static KeyPairReload start(KeyPairFiles files) throws UnusableKeyPairException {
        return new KeyPairReload(files, INTERVAL);
    }

    static KeyPairReload start(KeyPairFiles files, Duration interval) throws UnusableKeyPairException {
        return new KeyPairReload(files, interval);
    }

    public ReloadingKeyManager keyManager() {
        return keyManager;
    }

    /** Pairs taken into use since the start. */
    public long reloads() {
        return reloads.sum();
    }

    /** Pairs refused since the start. */
    public long failures() {
        return failures.sum();
    }

    private void reload() {
        try {
            CertifiedKey next = files.read();
            if (next.equals(keyManager.current())) {
                return;
            }
            keyManager.use(next);
            reloads.increment();
            LOG.atInfo()
                    .setMessage("serving a new certificate")
                    .addKeyValue("serial", next.serialNumber().toString(16))
                    .addKeyValue("expires", next.expires())
                    .log();
        } catch (UnusableKeyPairException e) {
            failures.increment();
            LOG.atWarn()
                    .setMessage("new key pair refused, the last good one stays")
                    .addKeyValue("reason", e.getMessage())
                    .addKeyValue("expires", keyManager.current().expires())
                    .log();
        }
    }

    @Override
    public void close() {
        watch.close();
    }
}
