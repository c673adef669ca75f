package dev.plainsail.e2e.engine.http;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HttpServerTest {
    private static HttpServer server(HttpServer.Handler handler) throws IOException {
        return HttpServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Optional.empty(), handler);
    }

    private static HttpServer echo() throws IOException {
        return server((request, exchange) -> exchange.respond(
                200,
                Map.of(),
                (request.method() + " " + request.path() + " " + request.body().utf8())
                        .getBytes(StandardCharsets.UTF_8)));
    }

    private static Socket open(HttpServer server, String text) throws IOException {
        Socket socket =
                new Socket(server.address().getAddress(), server.address().getPort());
        socket.setSoTimeout(120_000);
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        return socket;
    }

    /** Sends and reads until the server closes. */
    private static String talk(HttpServer server, String text) throws IOException {
        try (Socket socket = open(server, text)) {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void severalRequestsOnOneConnectionAlsoSentAtOnce() throws Exception {
        try (HttpServer server = echo()) {
            String answers = talk(
                    server,
                    "POST /a?q=1 HTTP/1.1\r\ncontent-length: 3\r\n\r\nabc"
                            + "POST /b HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n2\r\nde\r\n3;x=y\r\nfgh\r\n0\r\ntrailer: t\r\n\r\n"
                            + "GET /c HTTP/1.1\r\nconnection: close\r\n\r\n");
            assertThat(answers)
                    .contains("POST /a abc")
                    .contains("POST /b defgh")
                    .contains("GET /c ");
        }
    }

    @Test
    void aBodyIsAskedForWhenTheClientWaits() throws Exception {
        try (HttpServer server = echo();
                Socket socket = open(
                        server,
                        "POST /a HTTP/1.1\r\nexpect: 100-continue\r\ncontent-length: 2\r\nconnection: close\r\n\r\n")) {
            InputStream in = socket.getInputStream();
            assertThat(new String(in.readNBytes(25), StandardCharsets.UTF_8))
                    .isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
            OutputStream out = socket.getOutputStream();
            out.write("ok".getBytes(StandardCharsets.UTF_8));
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).endsWith("POST /a ok");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hello\r\n\r\n",
                "GET / HTTP/2.0\r\n\r\n",
                "GET nowhere HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nno colon\r\n\r\n",
                "GET / HTTP/1.1\r\na b: c\r\n\r\n",
                "POST / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
                "POST / HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
                "POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
                "POST / HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n",
                "POST / HTTP/1.1\r\ntransfer-encoding: gzip\r\n\r\n",
                "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
                "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nabc\r\n",
            })
    void whatIsNoRequestIsRefusedAndTheConnectionClosed(String text) throws Exception {
        try (HttpServer server = echo()) {
            assertThat(talk(server, text)).startsWith("HTTP/1.1 400 ").endsWith("Invalid HTTP request received.");
        }
    }

    @Test
    void theHandlerHearsOfAClientThatLeaves() throws Exception {
        CountDownLatch gone = new CountDownLatch(1);
        AtomicBoolean released = new AtomicBoolean();
        HttpServer.Handler waiting = (_, exchange) -> {
            exchange.onDisconnect(gone::countDown);
            gone.await();
            released.set(true);
        };
        try (HttpServer server = server(waiting)) {
            Socket socket = open(server, "GET / HTTP/1.1\r\n\r\n");
            Thread.sleep(50);
            assertThat(gone.getCount()).isEqualTo(1);
            socket.close();
            await().untilTrue(released);
        }
    }

    @Test
    void aPieceArrivesWhenItIsWritten() throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        HttpServer.Handler pieces = (_, exchange) -> {
            exchange.begin(200, Map.of("content-type", "text/plain"));
            exchange.write("one".getBytes(StandardCharsets.UTF_8));
            seen.await();
            exchange.write("two".getBytes(StandardCharsets.UTF_8));
            exchange.end();
        };
        try (HttpServer server = server(pieces);
                Socket socket = open(server, "GET / HTTP/1.1\r\nconnection: close\r\n\r\n")) {
            StringBuilder text = new StringBuilder();
            while (!text.toString().endsWith("3\r\none\r\n")) {
                text.append((char) socket.getInputStream().read());
            }
            seen.countDown();
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("3\r\ntwo\r\n0\r\n\r\n");
        }
    }

    @Test
    void aResetIsAReset() throws Exception {
        try (HttpServer server = server((_, exchange) -> exchange.reset());
                Socket socket = open(server, "GET / HTTP/1.1\r\n\r\n")) {
            assertThatThrownBy(() -> socket.getInputStream().read())
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("reset");
        }
    }

    @Test
    void aHandlerThatFailsAnswers500() throws Exception {
        HttpServer.Handler failing = (_, _) -> {
            throw new IllegalStateException("meant to be seen in this test's output");
        };
        try (HttpServer server = server(failing)) {
            assertThat(talk(server, "GET / HTTP/1.1\r\nconnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 500 ");
        }
    }

    /** Any bytes at all either are requests, or end, or are refused: no other exception, no endless loop. */
    @Test
    void noBytesBreakTheReader() {
        String seed =
                "POST /v1/x HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\nexpect: 100-continue\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
        Random random = new Random(42);
        int whole = 0;
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = seed.getBytes(StandardCharsets.ISO_8859_1);
            for (int change = random.nextInt(4); change > 0; change--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            RequestReader reader = new RequestReader(new ByteArrayInputStream(bytes), () -> {});
            try {
                whole += reader.read().isPresent() ? 1 : 0;
            } catch (IOException e) {
                assertThat(e.getMessage()).isNotBlank();
            }
        }
        assertThat(whole).isBetween(1000, 19_000);
    }
}
