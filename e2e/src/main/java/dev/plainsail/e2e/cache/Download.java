package dev.plainsail.e2e.cache;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Locale;

/** Fetches files over HTTP, with a check of their SHA-256. A closed network is noticed within seconds. */
public final class Download {

    private static final Duration CONNECT = Duration.ofSeconds(4);
    private static final Duration FIRST_BYTE = Duration.ofSeconds(20);

    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(CONNECT)
            .followRedirects(HttpClient.Redirect.NORMAL)
            .proxy(ProxySelector.getDefault())
            .build();

    /** A small text, such as a checksum file. */
    public String text(URI uri) throws IOException, InterruptedException {
        try (InputStream body = open(uri).body()) {
            return new String(body.readNBytes(1 << 20), StandardCharsets.UTF_8);
        }
    }

    /**
     * Fetches a file. On any failure the target does not exist.
     *
     * @param sha256 64 hexadecimal digits
     */
    public void file(URI uri, Path target, String sha256, Progress.Step step) throws IOException, InterruptedException {
        MessageDigest digest = sha256();
        HttpResponse<InputStream> response = open(uri);
        long total = response.headers().firstValueAsLong("content-length").orElse(-1);
        try (InputStream in = new DigestInputStream(response.body(), digest);
                OutputStream out = Files.newOutputStream(target)) {
            copy(in, out, total, target.getFileName().toString(), step);
        } catch (IOException | RuntimeException e) {
            Files.deleteIfExists(target);
            throw e;
        }
        String found = HexFormat.of().formatHex(digest.digest());
        if (!found.equals(sha256.toLowerCase(Locale.ROOT))) {
            Files.deleteIfExists(target);
            throw new IOException(uri + " has checksum " + found + ", not " + sha256);
        }
    }

    private static void copy(InputStream in, OutputStream out, long total, String name, Progress.Step step)
            throws IOException {
        byte[] buffer = new byte[1 << 16];
        long done = 0;
        long told = 0;
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            out.write(buffer, 0, n);
            done += n;
            if (done - told >= 1 << 20) {
                told = done;
                step.note(name + " " + Cache.size(done) + (total > 0 ? " of " + Cache.size(total) : ""));
            }
        }
        if (total >= 0 && done < total) {
            throw new IOException(name + " broke off after " + Cache.size(done));
        }
    }

    private HttpResponse<InputStream> open(URI uri) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(uri).timeout(FIRST_BYTE).GET().build();
        HttpResponse<InputStream> response;
        try {
            response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        } catch (HttpConnectTimeoutException e) {
            throw new IOException(uri.getHost() + " does not answer", e);
        } catch (ConnectException e) {
            throw new IOException(uri.getHost() + " cannot be reached", e);
        }
        if (response.statusCode() != 200) {
            response.body().close();
            throw new IOException(uri + " answered " + response.statusCode());
        }
        return response;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
