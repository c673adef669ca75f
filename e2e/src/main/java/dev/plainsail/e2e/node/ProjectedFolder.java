package dev.plainsail.e2e.node;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A folder of files that changes as a whole, laid out as the kubelet does it: the files stand in a folder of their own, {@code
 * ..data} is a symbolic link to it, and each name at the top is a link through {@code ..data}. A change is one rename.
 */
final class ProjectedFolder {

    private static final String DATA = "..data";

    private final Path folder;
    private Map<String, Content> current = Map.of();
    private int generation;

    /** A file's bytes, never changed, and its permission bits. */
    record Content(ByteBuffer bytes, int mode) {
        static Content of(byte[] bytes, int mode) {
            return new Content(ByteBuffer.wrap(bytes).asReadOnlyBuffer(), mode);
        }

        byte[] toBytes() {
            byte[] copy = new byte[bytes.remaining()];
            bytes.duplicate().get(copy);
            return copy;
        }
    }

    ProjectedFolder(Path folder) {
        this.folder = folder;
    }

    /** Makes the folder hold exactly these files, by relative path. Answers whether anything changed. */
    boolean set(Map<String, Content> files) throws IOException {
        if (generation > 0 && files.equals(current)) {
            return false;
        }
        Files.createDirectories(folder);
        generation++;
        Path next = Files.createDirectory(folder.resolve("..generation-" + generation));
        for (Map.Entry<String, Content> file : new TreeMap<>(files).entrySet()) {
            write(next, file.getKey(), file.getValue());
        }
        Path link = folder.resolve("..data_tmp");
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, next.getFileName());
        Files.move(link, folder.resolve(DATA), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        linkNames(next);
        if (generation > 1) {
            deleteFlat(folder.resolve("..generation-" + (generation - 1)));
        }
        current = new HashMap<>(files);
        return true;
    }

    private static void write(Path next, String relative, Content content) throws IOException {
        Path file = next.resolve(relative).normalize();
        if (!file.startsWith(next)) {
            throw new IOException("the path " + relative + " leaves its volume");
        }
        Files.createDirectories(file.getParent());
        Files.write(file, content.toBytes());
        Files.setPosixFilePermissions(file, permissions(content.mode()));
    }

    static Set<PosixFilePermission> permissions(int mode) {
        PosixFilePermission[] fromHighest = {
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE,
            PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_WRITE, PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE, PosixFilePermission.OTHERS_EXECUTE
        };
        Set<PosixFilePermission> all = EnumSet.noneOf(PosixFilePermission.class);
        for (int i = 0; i < 9; i++) {
            if ((mode & 0400 >> i) != 0) {
                all.add(fromHighest[i]);
            }
        }
        return all;
    }

    private void linkNames(Path next) throws IOException {
        Set<String> names;
        try (Stream<Path> files = Files.list(next)) {
            names = new HashSet<>(
                    files.map(f -> String.valueOf(f.getFileName())).toList());
        }
        for (String name : names) {
            Path link = folder.resolve(name);
            if (!Files.isSymbolicLink(link)) {
                Files.createSymbolicLink(link, Path.of(DATA, name));
            }
        }
        try (Stream<Path> links = Files.list(folder)) {
            for (Path link : links.toList()) {
                String name = String.valueOf(link.getFileName());
                if (!name.startsWith("..") && !names.contains(name)) {
                    Files.delete(link);
                }
            }
        }
    }

    private static void deleteFlat(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
