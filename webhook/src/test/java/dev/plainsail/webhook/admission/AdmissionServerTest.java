package dev.plainsail.webhook.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.certs.CertifiedKey;
import dev.plainsail.certs.ReloadingKeyManager;
import dev.plainsail.certs.authority.Issuer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Over real TLS on loopback; the handler is a function, as it is in production. */
class AdmissionServerTest {
    private static final Issuer ISSUER = new Issuer(new SecureRandom());

    private final CertifiedKey pair = pair();
    private final ReloadingKeyManager keyManager = new ReloadingKeyManager(pair);
    private final ConcurrentLinkedQueue<String> observed = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Duration> left = new ConcurrentLinkedQueue<>();
    private final AdmissionServer server = new AdmissionServer(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    keyManager,
                    Map.of("/v1/mutate", this::handle),
                    (route, status, took) -> observed.add(route + " " + status))
            .start();

    private static CertifiedKey pair() {
        return ISSUER.selfSigned(List.of("127.0.0.1"), Instant.now(), Duration.ofDays(1));
    }

    private byte[] handle(byte[] review, Duration time) {
        left.add(time);
        String text = new String(review, StandardCharsets.UTF_8);
        if (text.equals("fail")) {
            throw new IllegalStateException("a bug");
        }
        if (text.equals("{}")) {
            throw new MalformedReviewException("no review");
        }
        return ("{\"length\":" + review.length + "}").getBytes(StandardCharsets.UTF_8);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static HttpClient trusting(CertifiedKey... pairs) throws Exception {
        KeyStore roots = KeyStore.getInstance(KeyStore.getDefaultType());
        roots.load(null, null);
        for (CertifiedKey trusted : pairs) {
            roots.setCertificateEntry(trusted.serialNumber().toString(), trusted.leaf());
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(roots);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return HttpClient.newBuilder()
                .sslContext(context)
                .version(HttpClient.Version.HTTP_1_1)
                .build();
    }

    private HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + server.port() + path))
                .timeout(Duration.ofSeconds(20))
                .header("Content-Type", "application/json");
    }

    private HttpResponse<String> post(HttpClient client, byte[] body) throws IOException, InterruptedException {
        return client.send(
                to("/v1/mutate?timeout=5s")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void bytesGoInAndComeOut() throws Exception {
        try (HttpClient client = trusting(pair)) {
            HttpResponse<String> answer = post(client, new byte[1234]);
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("{\"length\":1234}");
            assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
            assertThat(answer.headers().firstValue("Server")).isEmpty();
            assertThat(observed).containsExactly("/v1/mutate 200");
        }
    }

    private HttpResponse<String> post(HttpClient client, String path) throws IOException, InterruptedException {
        return client.send(
                to(path).POST(HttpRequest.BodyPublishers.ofString("a")).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void handlerKnowsHowLongTheApiServerStillWaits() throws Exception {
        try (HttpClient client = trusting(pair)) {
            assertThat(post(client, "/v1/mutate?timeout=1h0m5s").statusCode()).isEqualTo(200);
            assertThat(left.remove())
                    .isLessThan(Duration.ofMinutes(60).plusSeconds(5))
                    .isGreaterThan(Duration.ofMinutes(55));
            assertThat(post(client, "/v1/mutate").statusCode()).isEqualTo(200);
            assertThat(left.remove()).isLessThan(Duration.ofSeconds(10));
            assertThat(post(client, "/v1/mutate?timeout=1ns").statusCode()).isEqualTo(200);
            assertThat(left.remove()).isNegative();
        }
    }

    @Test
    void timeoutThatIsNoneIsRefusedInPlainWords() throws Exception {
        try (HttpClient client = trusting(pair)) {
            for (String bad : List.of("", "0s", "-5s", "10", "soon")) {
                HttpResponse<String> answer = post(client, "/v1/mutate?timeout=" + bad);
                assertThat(answer.statusCode()).as(bad).isEqualTo(400);
                assertThat(answer.body()).isEqualTo("timeout: \"" + bad + "\" is no time to answer in, such as 10s\n");
            }
            assertThat(left).isEmpty();
        }
    }

    @Test
    void reviewsUpToTheLimitPassAndLargerOnesAreRefused() throws Exception {
        try (HttpClient client = trusting(pair)) {
            assertThat(post(client, new byte[AdmissionServer.LIMIT_BYTES]).statusCode())
                    .isEqualTo(200);
            HttpResponse<String> answer = post(client, new byte[AdmissionServer.LIMIT_BYTES + 1]);
            assertThat(answer.statusCode()).isEqualTo(413);
            assertThat(answer.body()).isEqualTo("a review is at most 8388608 bytes\n");
            assertThat(post(client, new byte[1]).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void whatIsNoReviewIsRefusedInPlainWords() throws Exception {
        try (HttpClient client = trusting(pair)) {
            HttpResponse<String> malformed = post(client, "{}".getBytes(StandardCharsets.UTF_8));
            assertThat(malformed.statusCode()).isEqualTo(400);
            assertThat(malformed.body()).isEqualTo("no review\n");
            assertThat(post(client, new byte[0]).body()).isEqualTo("the body is empty; send an AdmissionReview\n");
            HttpRequest yaml = HttpRequest.newBuilder(to("/v1/mutate").build().uri())
                    .header("Content-Type", "application/yaml")
                    .POST(HttpRequest.BodyPublishers.ofString("a: b"))
                    .build();
            assertThat(client.send(yaml, HttpResponse.BodyHandlers.ofString()).statusCode())
                    .isEqualTo(415);
            assertThat(client.send(to("/v1/mutate").GET().build(), HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(405);
            assertThat(client.send(
                                    to("/v1/other")
                                            .POST(HttpRequest.BodyPublishers.ofString("{}"))
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(404);
        }
    }

    @Test
    void failingHandlerIsAnErrorThatNamesItself() throws Exception {
        try (HttpClient client = trusting(pair)) {
            HttpResponse<String> answer = post(client, "fail".getBytes(StandardCharsets.UTF_8));
            assertThat(answer.statusCode()).isEqualTo(500);
            assertThat(answer.body())
                    .contains("plainsail failed on this object")
                    .contains("a bug");
            assertThat(post(client, new byte[1]).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void certificateChangesUnderRunningRequestsWithoutAFailure() throws Exception {
        CertifiedKey second = pair();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CountDownLatch half = new CountDownLatch(20);
            List<Future<Integer>> answers = IntStream.range(0, 40)
                    .mapToObj(i -> threads.submit(() -> {
                        // A client of its own each: a new connection, a new handshake.
                        try (HttpClient client = trusting(pair, second)) {
                            half.countDown();
                            return post(client, new byte[100]).statusCode();
                        }
                    }))
                    .toList();
            half.await();
            keyManager.use(second);
            for (Future<Integer> answer : answers) {
                assertThat(answer.get()).isEqualTo(200);
            }
        }
        try (HttpClient client = trusting(second)) {
            HttpResponse<String> answer = post(client, new byte[1]);
            X509Certificate served =
                    (X509Certificate) answer.sslSession().orElseThrow().getPeerCertificates()[0];
            assertThat(served).isEqualTo(second.leaf());
        }
    }

    @Test
    void drainingServerAnswersAndClosesTheConnection() throws Exception {
        try (HttpClient client = trusting(pair)) {
            assertThat(post(client, new byte[1]).headers().firstValue("Connection"))
                    .isEmpty();
            server.drain();
            HttpResponse<String> answer = post(client, new byte[1]);
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Connection")).hasValue("close");
        }
    }
}
