package dev.plainsail.e2e.process;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** The end of a log file, read without reading the rest. */
public final class LogTail {

    private static final int MOST_BYTES = 16 << 10;

    private LogTail() {}

    /** The last {@code lines} lines; a sentence in brackets when there are none. Lines over 16 KiB from the end are not seen. */
    public static String of(Path log, int lines) {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            long from = Math.max(0, file.length() - MOST_BYTES);
            file.seek(from);
            byte[] bytes = new byte[(int) (file.length() - from)];
            file.readFully(bytes);
            List<String> all = new String(bytes, StandardCharsets.UTF_8).lines().toList();
            if (all.isEmpty()) {
                return "(" + log + " is empty)";
            }
            return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
        } catch (IOException e) {
            return "(" + log + " cannot be read)";
        }
    }
}
