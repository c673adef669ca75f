package dev.plainsail.epp.pool;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSourceTest {
    private static final String ONE = """
            endpoints:
              - name: pod-0
                namespace: bench
                address: "127.0.2.1"
                port: "8000"
                labels:
                  app: fleet
            """;

    @TempDir
    private Path folder = Path.of("");

    private final Pools pools = new Pools(new Slots(System::nanoTime));

    @Test
    void llmdsFileIsReadAsItIs() {
        EndpointsFile.Content content = read(ONE);
        assertThat(content.problems()).isEmpty();
        Member member = content.byPool().getOrDefault("p", List.of()).getFirst();
        assertThat(member.name()).isEqualTo("bench/pod-0");
        assertThat(member.address().getPort()).isEqualTo(8000);
        assertThat(member.labels()).containsEntry("app", "fleet");
        assertThat(read("{\"endpoints\": []}").problems()).isEmpty();
    }

    @Test
    void theLabelNamesThePool() {
        EndpointsFile.Content content =
                read("endpoints: [{name: a, address: 10.0.0.1, port: 80, labels: {plainsail.dev/pool: chat}}]");
        assertThat(content.byPool()).containsOnlyKeys("chat");
    }

    @Test
    void everyProblemIsSaidWithItsPath() {
        assertThat(read("""
                        other: 1
                        endpoints:
                        - {name: a, address: host.example, port: 8000}
                        - {name: b, address: 10.0.0.1, port: 70000, extra: 1}
                        - {address: 10.0.0.1}
                        - {name: c, address: 10.0.0.1, port: 80, labels: [x]}
                        - {name: d, address: 10.0.0.2, port: 80}
                        - {name: d, address: 10.0.0.3, port: 80}
                        """).problems())
                .anySatisfy(text -> assertThat(text).startsWith("other: unknown"))
                .anySatisfy(text -> assertThat(text).startsWith("endpoints[0].address: 'host.example'"))
                .anySatisfy(text -> assertThat(text).startsWith("endpoints[1].extra: unknown"))
                .anySatisfy(text -> assertThat(text).startsWith("endpoints[1].port: '70000'"))
                .anySatisfy(text -> assertThat(text).startsWith("endpoints[2].name: missing"))
                .anySatisfy(text -> assertThat(text).startsWith("endpoints[2].port: missing"))
                .anySatisfy(text -> assertThat(text).startsWith("endpoints[3].labels: write"))
                .anySatisfy(text -> assertThat(text).startsWith("endpoints[5].name: default/d is there twice"));
        assertThat(read("").problems()).isNotEmpty();
        assertThat(read("endpoints: {").problems()).singleElement().asString().startsWith("not YAML");
        assertThat(EndpointsFile.read(new byte[EndpointsFile.MAX_BYTES + 1], "p")
                        .problems())
                .singleElement()
                .asString()
                .contains("at most 1048576");
    }

    @Test
    void anyBytesAreReadOrRefusedNeverThrown() {
        byte[] whole = ONE.getBytes(StandardCharsets.UTF_8);
        qt().withExamples(300).forAll(longs().all()).checkAssert(seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] damaged = whole.clone();
            for (int i = random.nextInt(6); i >= 0; i--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            }
            EndpointsFile.Content content = EndpointsFile.read(damaged, "p");
            assertThat(content.problems().isEmpty() || content.byPool().isEmpty())
                    .isTrue();
        });
    }

    @Test
    void changesAreSeenBadOnesKeepTheLastGoodAndRenamesCount() throws IOException {
        Path file = folder.resolve("endpoints.yaml");
        Files.writeString(file, ONE);
        try (FileSource source = FileSource.start(file, "p", pools, Duration.ofMillis(20))) {
            assertThat(source.synced()).isTrue();
            assertThat(names()).containsExactly("bench/pod-0");
            Files.writeString(file, ONE.replace("pod-0", "pod-1"));
            await().untilAsserted(() -> assertThat(names()).containsExactly("bench/pod-1"));
            Files.writeString(file, "endpoints: nonsense");
            Path next = folder.resolve("next.yaml");
            await().pollDelay(Duration.ofMillis(100))
                    .untilAsserted(() -> assertThat(names()).containsExactly("bench/pod-1"));
            Files.writeString(next, ONE.replace("pod-0", "pod-2"));
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
            await().untilAsserted(() -> assertThat(names()).containsExactly("bench/pod-2"));
            Files.writeString(file, "endpoints: []");
            await().untilAsserted(() -> assertThat(names()).isEmpty());
        }
    }

    @Test
    void aMissingFileIsNotSyncedUntilItIsThere() throws IOException {
        Path file = folder.resolve("late.yaml");
        try (FileSource source = FileSource.start(file, "p", pools, Duration.ofMillis(20))) {
            assertThat(source.synced()).isFalse();
            assertThat(pools.find("p")).isNotNull();
            Files.writeString(file, ONE);
            await().untilAsserted(() -> assertThat(source.synced()).isTrue());
        }
    }

    private EndpointsFile.Content read(String text) {
        return EndpointsFile.read(text.getBytes(StandardCharsets.UTF_8), "p");
    }

    private List<String> names() {
        return pools.get("p").current().endpoints().stream().map(Endpoint::name).toList();
    }
}
