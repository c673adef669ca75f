package dev.plainsail.epp.datalayer;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.plainsail.certs.CertifiedKey;
import dev.plainsail.certs.KeyPairText;
import dev.plainsail.certs.ReloadingKeyManager;
import dev.plainsail.certs.UnusableKeyPairException;
import dev.plainsail.certs.authority.Issuer;
import dev.plainsail.epp.pool.Member;
import dev.plainsail.epp.pool.Pools;
import dev.plainsail.epp.pool.Slots;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScraperTest {
    /** Error Prone 2.52's StringConcatToTextBlock crashes on a literal of nothing but line ends. */
    private static final String LINE_END = "%c%c".formatted(13, 10);

    private static final Duration LONG = Duration.ofSeconds(60);

    private static final Scraper.Options QUICK =
            new Scraper.Options("/metrics", null, Duration.ofMillis(20), Duration.ofMillis(60), LONG, null, List.of());

    private static final Scraper.Options IMPATIENT = new Scraper.Options(
            "/metrics", null, Duration.ofMillis(20), Duration.ofMillis(60), Duration.ofMillis(400), null, List.of());

    private static final Scraper.Options SLOWER =
            new Scraper.Options("/metrics", null, Duration.ofMillis(80), Duration.ofMillis(600), LONG, null, List.of());

    private final Slots slots = new Slots(System::nanoTime);
    private final Pools pools = new Pools(slots);
    private final LoadTable loads = new LoadTable(System::nanoTime);
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Scraper.Scraped> heard = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    @Test
    void reportsBecomeLoadsOverOneKeptConnection() throws IOException {
        AtomicInteger connections = new AtomicInteger();
        InetSocketAddress engine = raw(socket -> {
            connections.incrementAndGet();
            while (request(socket)) {
                write(socket, response("vllm:num_requests_running{model_name=\"m\"} 7\nvllm:num_requests_waiting 0\n"));
            }
        });
        start(engine);
        await().untilAsserted(() -> assertThat(loads.at(0).report().running()).isEqualTo(7));
        await().untilAsserted(() -> assertThat(heard).hasSizeGreaterThan(5));
        assertThat(connections).hasValue(1);
        assertThat(heard.get(1).previous()).isEqualTo(heard.get(0).report());
    }

    @Test
    void aServerThatClosesIdleConnectionsIsAskedAgainOnANewOne() throws IOException {
        AtomicInteger connections = new AtomicInteger();
        InetSocketAddress engine = raw(socket -> {
            connections.incrementAndGet();
            request(socket);
            write(socket, response("vllm:num_requests_running 1\n"));
        });
        Scraper scraper = start(engine);
        await().untilAsserted(() -> assertThat(connections.get()).isGreaterThan(3));
        assertThat(scraper.failures()).isZero();
    }

    @Test
    void chunkedAnswersInSmallPiecesAreRead() throws IOException {
        String body = "vllm:num_requests_running 42\nvllm:kv_cache_usage_perc 0.5\n";
        StringBuilder chunked = new StringBuilder("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        for (String piece : body.split("(?<=[0-9])")) {
            chunked.append(Integer.toHexString(piece.length()))
                    .append(";x=y\r\n")
                    .append(piece)
                    .append(LINE_END);
        }
        byte[] bytes = chunked.append("0\r\n\r\n").toString().getBytes(StandardCharsets.US_ASCII);
        InetSocketAddress engine = raw(socket -> {
            while (request(socket)) {
                for (byte each : bytes) {
                    socket.getOutputStream().write(each);
                    socket.getOutputStream().flush();
                }
            }
        });
        start(engine);
        await().untilAsserted(() -> assertThat(loads.at(0).report().running()).isEqualTo(42));
        assertThat(loads.at(0).report().kvCacheUsed()).isEqualTo(0.5);
    }

    /** EPP-13: answers that are no metrics, one after the other; the endpoint stays, its load unknown. */
    @Test
    void epp13AnEngineWithoutMetricsStaysAndIsAskedOn() throws IOException {
        AtomicInteger turn = new AtomicInteger();
        InetSocketAddress engine = raw(socket -> {
            while (request(socket)) {
                String answer = switch (turn.getAndIncrement()) {
                    case 0 -> response("process_start_time_seconds 1\n");
                    case 1 -> "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
                    case 2 -> "garbage\r\n\r\n";
                    case 3 -> "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n";
                    case 4 -> response("");
                    default -> response("vllm:num_requests_running 3\n");
                };
                write(socket, answer);
            }
        });
        Scraper scraper = start(engine);
        await().untilAsserted(() -> assertThat(loads.at(0).report().running()).isEqualTo(3));
        assertThat(scraper.failures()).isGreaterThanOrEqualTo(3);
        assertThat(pools.get("p").current().endpoints()).hasSize(1);
    }

    @Test
    void anEngineThatHangsOrRefusesDoesNotHoldUpTheOthers() throws IOException {
        InetSocketAddress hanging = raw(socket -> {
            while (request(socket)) {
                Thread.onSpinWait();
            }
        });
        int closedPort;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closedPort = socket.getLocalPort();
        }
        InetSocketAddress healthy = http("vllm:num_requests_running 5\n");
        Scraper scraper =
                start(IMPATIENT, hanging, new InetSocketAddress(InetAddress.getLoopbackAddress(), closedPort), healthy);
        await().untilAsserted(() -> assertThat(scraper.failures()).isGreaterThan(3));
        await().untilAsserted(() -> assertThat(loads.at(2).report().running()).isEqualTo(5));
        assertThat(loads.at(0).report()).isSameAs(Load.UNKNOWN);
        await().untilAsserted(() -> assertThat(count(2)).isGreaterThan(5));
    }

    @Test
    void busyEnginesAreAskedMoreOftenAndGoneOnesNoMore() throws IOException {
        InetSocketAddress idle = http("vllm:num_requests_running 0\nvllm:num_requests_waiting 0\n");
        InetSocketAddress busy = http("vllm:num_requests_running 9\nvllm:num_requests_waiting 0\n");
        start(SLOWER, idle, busy);
        // More often in the long run, whatever a busy machine does to the first few.
        await().untilAsserted(() -> {
            long busyOnes = count(1);
            assertThat(busyOnes).isGreaterThan(8);
            assertThat(count(0)).isLessThan(busyOnes / 2);
        });
        pools.get("p").replace("test", List.of());
        AtomicLong before = new AtomicLong(-1);
        await("the last answers to have come")
                .pollInterval(Duration.ofMillis(400))
                .until(() -> {
                    long now = heard.size();
                    return before.getAndSet(now) == now;
                });
    }

    @Test
    void anIdleEngineHasNoPendingPrefill() throws IOException {
        InetSocketAddress engine = http("vllm:num_requests_running 0\nvllm:num_requests_waiting 0\n");
        start(engine);
        await().untilAsserted(() -> assertThat(heard).isNotEmpty());
        loads.at(0).admit(1_000_000_000, System.nanoTime());
        await().untilAsserted(() ->
                assertThat(loads.at(0).pendingPrefill(System.nanoTime())).isZero());
    }

    @Test
    void enginesAreAskedOverTlsWithTheToken(@TempDir Path folder) throws Exception {
        CertifiedKey authority = new Issuer(new SecureRandom()).authority("engines", Instant.now(), Duration.ofDays(1));
        CertifiedKey pair =
                new Issuer(new SecureRandom()).leaf(authority, List.of("engine"), Instant.now(), Duration.ofDays(1));
        Path authorities = Files.writeString(folder.resolve("ca.crt"), KeyPairText.certificates(authority.chain()));
        Path token = Files.writeString(folder.resolve("token"), "first");
        List<String> tokens = new CopyOnWriteArrayList<>();
        // Longer than a TLS record, so that one answer takes several.
        InetSocketAddress engine = https(pair, "# x\n".repeat(20_000) + "vllm:num_requests_waiting 3\n", tokens);
        start(secured(false, authorities), new EngineAccess(token), engine);
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(heard)
                        .anySatisfy(scraped ->
                                assertThat(scraped.load().report().waiting()).isEqualTo(3)));
        assertThat(tokens).containsOnly("Bearer first");
        Files.writeString(token, "second");
        Files.setLastModifiedTime(token, FileTime.from(Instant.now().plusSeconds(5)));
        await().atMost(LONG).untilAsserted(() -> assertThat(tokens).contains("Bearer second"));
    }

    @Test
    void anEngineWhoseCertificateIsNotTrustedIsNotHeardUnlessAnyWillDo() throws Exception {
        CertifiedKey pair =
                new Issuer(new SecureRandom()).selfSigned(List.of("engine"), Instant.now(), Duration.ofDays(1));
        InetSocketAddress engine = https(pair, "vllm:num_requests_waiting 3\n", new CopyOnWriteArrayList<>());
        Scraper wary = start(secured(false, null), EngineAccess.OPEN, engine);
        await().atMost(LONG).untilAsserted(() -> assertThat(wary.failures()).isGreaterThan(2));
        assertThat(heard).isEmpty();
        wary.close();
        open.add(Scraper.start(secured(true, null), EngineAccess.OPEN, pools, loads, 1, heard::add));
        await().atMost(LONG).untilAsserted(() -> assertThat(heard).isNotEmpty());
    }

    private static Scraper.Options secured(boolean anybody, @Nullable Path authorities)
            throws UnusableKeyPairException {
        return new Scraper.Options(
                "/metrics",
                null,
                Duration.ofMillis(20),
                Duration.ofMillis(60),
                LONG,
                EngineTrust.context(anybody, authorities, null),
                List.of());
    }

    private InetSocketAddress https(CertifiedKey pair, String metrics, List<String> tokens) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(new KeyManager[] {new ReloadingKeyManager(pair)}, null, new SecureRandom());
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(executor);
        server.createContext("/metrics", exchange -> {
            tokens.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            byte[] bytes = metrics.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        open.add(() -> {
            server.stop(0);
            executor.shutdownNow();
        });
        return server.getAddress();
    }

    private long count(int slot) {
        return heard.stream()
                .filter(scraped -> scraped.endpoint().slot() == slot)
                .count();
    }

    private Scraper start(InetSocketAddress... engines) {
        return start(QUICK, engines);
    }

    private Scraper start(Scraper.Options options, InetSocketAddress... engines) {
        return start(options, EngineAccess.OPEN, engines);
    }

    private Scraper start(Scraper.Options options, EngineAccess access, InetSocketAddress... engines) {
        slots.watch(loads);
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < engines.length; i++) {
            members.add(new Member("e" + i, "default/e" + i, engines[i], Map.of()));
        }
        pools.get("p").replace("test", members);
        Scraper scraper = Scraper.start(options, access, pools, loads, 1, heard::add);
        open.add(scraper);
        return scraper;
    }

    private InetSocketAddress http(String metrics) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/metrics", exchange -> {
            byte[] bytes = metrics.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        open.add(() -> server.stop(0));
        return server.getAddress();
    }

    private interface Conversation {
        void hold(Socket socket) throws IOException;
    }

    private InetSocketAddress raw(Conversation conversation) throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        open.add(server);
        Thread.ofVirtual().start(() -> {
            while (!server.isClosed()) {
                @Nullable Socket accepted = accept(server);
                if (accepted != null) {
                    Thread.ofVirtual().start(() -> {
                        try (accepted) {
                            conversation.hold(accepted);
                        } catch (IOException e) {
                            assert e.getMessage() != null;
                        }
                    });
                }
            }
        });
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    private static @Nullable Socket accept(ServerSocket server) {
        try {
            return server.accept();
        } catch (IOException e) {
            return null;
        }
    }

    /** Reads one request head. @return false: the other side has closed */
    private static boolean request(Socket socket) throws IOException {
        int matched = 0;
        while (matched < 4) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                return false;
            }
            matched = next == "\r\n\r\n".charAt(matched) ? matched + 1 : next == '\r' ? 1 : 0;
        }
        return true;
    }

    private static String response(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    private static void write(Socket socket, String text) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
