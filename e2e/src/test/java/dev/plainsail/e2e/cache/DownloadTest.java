package dev.plainsail.e2e.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DownloadTest {

    /** SHA-256 of "hello". */
    private static final String HELLO = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

    @TempDir
    Path folder;

    private HttpServer server;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/file", exchange -> {
            byte[] body = "hello".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.createContext("/broken", exchange -> {
            exchange.sendResponseHeaders(200, 1000);
            exchange.getResponseBody().write(new byte[10]);
            exchange.getResponseBody().flush();
            exchange.getHttpContext().getServer().stop(0);
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void aFileWithTheRightChecksumArrives() throws Exception {
        Path target = folder.resolve("hello");
        new Download().file(uri("/file"), target, HELLO, step());
        assertThat(target).hasContent("hello");
        assertThat(new Download().text(uri("/file"))).isEqualTo("hello");
    }

    @Test
    void aWrongChecksumIsRefusedAndNothingStays() {
        Path target = folder.resolve("hello");
        assertThatThrownBy(() -> new Download().file(uri("/file"), target, "0".repeat(64), step()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has checksum " + HELLO);
        assertThat(target).doesNotExist();
    }

    @Test
    void aBrokenTransferLeavesNothing() {
        Path target = folder.resolve("broken");
        assertThatThrownBy(() -> new Download().file(uri("/broken"), target, HELLO, step()))
                .isInstanceOf(IOException.class);
        assertThat(target).doesNotExist();
    }

    @Test
    void anAnswerOtherThan200IsNamed() {
        assertThatThrownBy(() -> new Download().text(uri("/missing"))).hasMessageEndingWith("answered 404");
    }

    @Test
    void aClosedPortAndAnUnknownHostAreNamed() throws IOException {
        int closed;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = socket.getLocalPort();
        }
        assertThatThrownBy(() -> new Download().text(URI.create("http://127.0.0.1:" + closed + "/")))
                .hasMessage("127.0.0.1 cannot be reached");
        assertThatThrownBy(() -> new Download().text(URI.create("http://no-such-host.invalid/")))
                .hasMessage("no-such-host.invalid cannot be reached");
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    private static Progress.Step step() {
        return Progress.silent().begin("test");
    }
}
