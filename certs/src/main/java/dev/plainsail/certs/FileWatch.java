package dev.plainsail.certs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls back when the contents of a few small files have changed and then stayed the same for one interval.
 * It reads them again at each interval instead of asking the kernel for events: a mounted Secret changes by a symbolic link
 * two folders up, network and overlay file systems send no events at all, and nodes run out of inotify instances, while
 * reading a few kilobytes a second costs nothing. The wait for a second equal reading lets a writer of two files finish.
 */
public final class FileWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FileWatch.class);

    private final List<Path> files;
    private final Runnable onChange;
    private String known;
    private String seen;
    private volatile boolean closed;

    private FileWatch(List<Path> files, Runnable onChange) {
        this.files = List.copyOf(files);
        this.onChange = onChange;
        this.known = fingerprint();
        this.seen = known;
    }

    /** A watch that its owner polls; what the files hold now counts as known. */
    public static FileWatch polledByOwner(List<Path> files, Runnable onChange) {
        return new FileWatch(files, onChange);
    }

    /** Polls on a daemon thread of its own until closed; the callback runs there. */
    public static FileWatch start(List<Path> files, Duration interval, Runnable onChange) {
        FileWatch watch = new FileWatch(files, onChange);
        Thread.ofPlatform().daemon().name("file-watch").start(() -> watch.run(interval));
        return watch;
    }

    private void run(Duration interval) {
        while (!closed) {
            try {
                Thread.sleep(interval);
                poll();
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                // The callback's fault; the next change must still be seen.
                LOG.atError()
                        .setMessage("handling a changed file failed")
                        .addKeyValue("files", files)
                        .setCause(e)
                        .log();
            }
        }
    }

    /** One look. Calls back at the second look in a row that finds the same new contents. */
    public synchronized void poll() {
        String now = fingerprint();
        boolean settled = now.equals(seen);
        seen = now;
        if (settled && !now.equals(known)) {
            known = now;
            onChange.run();
        }
    }

    private String fingerprint() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (Path file : files) {
                digest.update(contents(file));
                digest.update((byte) 0);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** An absent or unreadable file is a state like any other: its coming back is a change. */
    private static byte[] contents(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            return new byte[] {1};
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
