package dev.plainsail.epp.pool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Endpoints from a file that is read again every second; comparing its bytes also notices mounts that are swapped by
 * symbolic link. A file that cannot be read, or has a problem, changes nothing: the last good one stays (fail open).
 */
public final class FileSource implements EndpointSource {
    private static final Logger LOG = LoggerFactory.getLogger(FileSource.class);
    private static final String SOURCE = "file";

    private final Path path;
    private final Pools pools;
    private final String defaultPool;
    private final Duration interval;
    private final Thread thread;
    private byte[] last = {};
    private Set<String> filled = Set.of();
    private String complaint = "";
    private volatile boolean synced;
    private volatile long heardAtNanos = System.nanoTime();

    private FileSource(Path path, String defaultPool, Pools pools, Duration interval) {
        this.path = path;
        this.pools = pools;
        this.defaultPool = defaultPool;
        this.interval = interval;
        this.thread = Thread.ofVirtual().name("endpoints file").unstarted(this::run);
    }

    /** @param defaultPool of endpoints without the label {@value PodSource#POOL} */
    public static FileSource start(Path path, String defaultPool, Pools pools) {
        return start(path, defaultPool, pools, Duration.ofSeconds(1));
    }

    static FileSource start(Path path, String defaultPool, Pools pools, Duration interval) {
        FileSource source = new FileSource(path, defaultPool, pools, interval);
        pools.get(defaultPool);
        source.look();
        source.thread.start();
        return source;
    }

    @Override
    public boolean synced() {
        return synced;
    }

    @Override
    public long secondsSinceHeard() {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - heardAtNanos);
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(interval.toMillis());
                look();
            }
        } catch (InterruptedException e) {
            LOG.debug("no longer watching {}", path);
        }
    }

    private void look() {
        try {
            byte[] text = Files.readAllBytes(path);
            heardAtNanos = System.nanoTime();
            if (!synced || !Arrays.equals(text, last)) {
                last = text;
                take(EndpointsFile.read(text, defaultPool));
            }
        } catch (IOException e) {
            complain("cannot be read: " + e);
        }
    }

    private void take(EndpointsFile.Content content) {
        if (!content.problems().isEmpty()) {
            complain(String.join("; ", content.problems()));
            return;
        }
        complaint = "";
        Set<String> names = new HashSet<>(filled);
        names.addAll(content.byPool().keySet());
        for (String name : names) {
            pools.get(name).replace(SOURCE, content.byPool().getOrDefault(name, List.of()));
        }
        filled = Set.copyOf(content.byPool().keySet());
        synced = true;
    }

    private void complain(String what) {
        if (!what.equals(complaint)) {
            complaint = what;
            LOG.warn("endpoints file {}: {}; the endpoints stay as they are", path, what);
        }
    }
}
