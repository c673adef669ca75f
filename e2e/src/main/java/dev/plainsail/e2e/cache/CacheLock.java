package dev.plainsail.e2e.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * One maker at a time, between threads and between programs. The operating system frees the lock when its holder dies. The
 * file stays (removing it would let two hold "the" lock); it holds the pid of the last holder, for the message only.
 */
final class CacheLock implements AutoCloseable {

    private static final long POLL_MILLIS = 200;

    private final FileChannel channel;

    private CacheLock(FileChannel channel) {
        this.channel = channel;
    }

    static CacheLock take(Path file, String title, Progress progress) throws IOException, InterruptedException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (tryLock(channel) == null) {
                await(channel, file, title, progress);
            }
            return new CacheLock(channel);
        } catch (IOException | InterruptedException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** For the message of those who wait. */
    void writeHolder() throws IOException {
        byte[] pid = Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII);
        channel.truncate(0).write(ByteBuffer.wrap(pid));
    }

    private static void await(FileChannel channel, Path file, String title, Progress progress)
            throws IOException, InterruptedException {
        String holder = Files.readString(file).strip();
        try (Progress.Step step = progress.begin(
                "Waiting for " + title + ", which process " + (holder.isEmpty() ? "?" : holder) + " is getting")) {
            while (tryLock(channel) == null) {
                Thread.sleep(POLL_MILLIS);
            }
            step.done();
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // another thread of this JVM
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
