package dev.plainsail.e2e.cache;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plainsail.e2e.UserError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CacheTest {

    private static final Cache.Entry TOOL = new Cache.Entry("tool-1.2", "Tool 1.2", 1000);

    @TempDir
    Path folder;

    @Test
    void folderFollowsTheEnvironment() {
        assertThat(Cache.of(Map.of("PLAINSAIL_CACHE", "/a/b", "XDG_CACHE_HOME", "/x"), Progress.silent())
                        .folder())
                .hasToString("/a/b");
        assertThat(Cache.of(Map.of("XDG_CACHE_HOME", "/x", "HOME", "/h"), Progress.silent())
                        .folder())
                .hasToString("/x/plainsail");
        assertThat(Cache.of(Map.of("XDG_CACHE_HOME", "relative", "HOME", "/h"), Progress.silent())
                        .folder())
                .as("the XDG specification: relative paths are to be ignored")
                .hasToString("/h/.cache/plainsail");
        assertThat(Cache.of(Map.of("HOME", "/h"), Progress.silent()).folder()).hasToString("/h/.cache/plainsail");
    }

    @Test
    void anEntryIsMadeOnceAndThenFound() throws IOException {
        Cache cache = new Cache(folder.resolve("new/deep"), Progress.silent());
        assertThat(cache.has(TOOL)).isFalse();
        Path made = cache.get(TOOL, (empty, step) -> Files.writeString(empty.resolve("a"), "1"));
        assertThat(made.resolve("a")).hasContent("1");
        assertThat(cache.get(TOOL, (empty, step) -> {
                    throw new AssertionError("made twice");
                }))
                .isEqualTo(made);
        assertThat(visible(cache.folder())).containsExactly("tool-1.2");
        assertThat(all(cache.folder())).noneMatch(name -> name.contains("making"));
    }

    @Test
    void aFailedMakingLeavesNothingAndSaysWhy() throws IOException {
        Cache cache = new Cache(folder, Progress.silent());
        assertThatThrownBy(() -> cache.get(TOOL, (empty, step) -> {
                    Files.writeString(empty.resolve("half"), "1");
                    throw new IOException("tool.example.org does not answer");
                }))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("Tool 1.2")
                .hasMessageContaining("tool.example.org does not answer");
        assertThat(visible(folder)).isEmpty();
        assertThat(all(folder)).noneMatch(name -> name.contains("making"));
    }

    @Test
    void whatADeadMakerLeftIsClearedAway() throws IOException {
        Path left = Files.createDirectories(folder.resolve(".tool-1.2.making-1-1/sub"));
        Files.writeString(left.resolve("half"), "1");
        Path other = Files.createDirectories(folder.resolve(".tool-1.20.making-1-1"));
        assertThat(left.toFile().setWritable(false)).isTrue();
        new Cache(folder, Progress.silent()).get(TOOL, (empty, step) -> {});
        assertThat(left).doesNotExist();
        assertThat(other).as("another entry's maker is not ours to clear").exists();
    }

    @Test
    void twoAtOnceMakeItOnceAndTheSecondSaysWhatItWaitsFor() throws Exception {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        Progress progress = Progress.to(new PrintStream(said, true, StandardCharsets.UTF_8), false, System::nanoTime);
        AtomicInteger made = new AtomicInteger();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Callable<Path> get = () -> new Cache(folder, progress).get(TOOL, (empty, step) -> {
            made.incrementAndGet();
            inside.countDown();
            goOn.await();
        });
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Path> first = threads.submit(get);
            inside.await();
            Future<Path> second = threads.submit(get);
            await().until(() -> said.toString(StandardCharsets.UTF_8).contains("Waiting"));
            goOn.countDown();
            assertThat(second.get()).isEqualTo(first.get());
        }
        assertThat(made).hasValue(1);
        assertThat(said.toString(StandardCharsets.UTF_8))
                .contains("Waiting for Tool 1.2, which process "
                        + ProcessHandle.current().pid() + " is getting");
    }

    @Test
    void aDiskThatIsTooSmallIsNamedWithWhatToDo() {
        Cache.Entry huge = new Cache.Entry("huge-1", "Huge 1", Long.MAX_VALUE);
        assertThatThrownBy(() -> new Cache(folder, Progress.silent()).get(huge, (empty, step) -> {
                    throw new AssertionError("begun without room");
                }))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("Huge 1 needs")
                .hasMessageContaining("set PLAINSAIL_CACHE to a larger disk");
    }

    @Test
    void aFolderThatCannotBeWrittenIsNamedWithWhatToDo() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "not a folder");
        for (Path bad : List.of(file.resolve("cache"), Path.of("/proc/cache"))) {
            assertThatThrownBy(() -> new Cache(bad, Progress.silent()).get(TOOL, (empty, step) -> {}))
                    .isInstanceOf(UserError.class)
                    .hasMessageStartingWith("the cache folder " + bad + " cannot be written")
                    .hasMessageContaining("set PLAINSAIL_CACHE to a folder that you own")
                    .message()
                    .doesNotContain("\n");
        }
    }

    private static List<String> visible(Path folder) throws IOException {
        return all(folder).stream().filter(name -> !name.startsWith(".")).toList();
    }

    private static List<String> all(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(f -> f.getFileName().toString()).sorted().toList();
        }
    }
}
