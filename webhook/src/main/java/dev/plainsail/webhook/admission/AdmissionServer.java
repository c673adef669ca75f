package dev.plainsail.webhook.admission;

import io.javalin.Javalin;
import io.javalin.compression.CompressionStrategy;
import io.javalin.http.Context;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509ExtendedKeyManager;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTPS door of the webhook: bytes of a review in, bytes of a review out, one virtual thread a request.
 * It judges only what HTTP says (method, content type, size); what a review means is the handler's business, denials
 * included. The certificate is whatever the key manager holds at each handshake.
 */
public final class AdmissionServer implements AutoCloseable {
    /** Objects are at most about 1.5 MiB in etcd, and an update carries two of them as JSON; twice that is room enough. */
    static final int LIMIT_BYTES = 8 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(AdmissionServer.class);
    private static final String JSON = "application/json";

    /** Told of every answer, on the request's thread. */
    public interface Observer {
        void answered(String route, int status, Duration took);
    }

    /** Judges reviews, on each request's thread: called by many at once. */
    public interface Route {
        /** @param left until the API server stops waiting; not positive if the body came in too slowly */
        byte[] answer(byte[] review, Duration left);
    }

    private final Observer observer;
    private final Javalin javalin;
    private volatile boolean draining;

    /** @param routes by path */
    public AdmissionServer(
            InetSocketAddress address,
            X509ExtendedKeyManager keyManager,
            Map<String, Route> routes,
            Observer observer) {
        this.observer = observer;
        SslContextFactory.Server tls = new SslContextFactory.Server();
        tls.setSslContext(context(keyManager));
        javalin = Javalin.create(config -> {
            config.startup.showJavalinBanner = false;
            config.startup.showOldJavalinVersionWarning = false;
            config.concurrency.useVirtualThreads = true;
            config.http.prefer405over404 = true;
            // The API server would take gzip: on the way to a neighbour it costs more time than it saves.
            config.http.compressionStrategy = CompressionStrategy.NONE;
            config.jetty.addConnector((server, http) -> {
                HttpConfiguration https = new HttpConfiguration(http);
                https.setSendServerVersion(false);
                // Called by Service name or by address, whatever the certificate says: the caller checks names, not we.
                https.addCustomizer(new SecureRequestCustomizer(false));
                ServerConnector connector = new ServerConnector(
                        server,
                        1,
                        1,
                        new SslConnectionFactory(tls, HttpVersion.HTTP_1_1.asString()),
                        new HttpConnectionFactory(https));
                connector.setHost(address.getAddress().getHostAddress());
                connector.setPort(address.getPort());
                connector.setIdleTimeout(Duration.ofSeconds(90).toMillis());
                return connector;
            });
            routes.forEach((route, handler) -> config.routes.post(route, context -> answer(route, handler, context)));
        });
    }

    private static SSLContext context(X509ExtendedKeyManager keyManager) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {keyManager}, null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no TLS", e);
        }
    }

    /** Listens when it returns. */
    public AdmissionServer start() {
        javalin.start();
        return this;
    }

    public int port() {
        return javalin.port();
    }

    /** From now on each answer closes its connection, so that the API server's next call goes to another replica. */
    public void drain() {
        draining = true;
    }

    private void answer(String route, Route handler, Context context) {
        long startNanos = System.nanoTime();
        if (draining) {
            context.header("Connection", "close");
        }
        Optional<byte[]> answer = judged(route, handler, context, startNanos);
        // Counted before the caller can know the answer.
        observer.answered(route, context.status().getCode(), Duration.ofNanos(System.nanoTime() - startNanos));
        answer.ifPresent(bytes -> write(context, bytes));
    }

    /** @return empty if the context has been told what is wrong instead */
    private static Optional<byte[]> judged(String route, Route handler, Context context, long startNanos) {
        if (!isJson(context.contentType())) {
            text(context, 415, "send an AdmissionReview as " + JSON);
            return Optional.empty();
        }
        Optional<Duration> timeout = CallTimeout.parse(context.queryParam("timeout"));
        if (timeout.isEmpty()) {
            text(
                    context,
                    400,
                    "timeout: \"" + context.queryParam("timeout") + "\" is no time to answer in, such as 10s");
            return Optional.empty();
        }
        byte[] review = read(context);
        if (review.length > LIMIT_BYTES) {
            // The rest is not read: the connection cannot be used again.
            context.header("Connection", "close");
            text(context, 413, "a review is at most " + LIMIT_BYTES + " bytes");
            return Optional.empty();
        }
        if (review.length == 0) {
            text(context, 400, "the body is empty; send an AdmissionReview");
            return Optional.empty();
        }
        try {
            Duration left = timeout.get().minusNanos(System.nanoTime() - startNanos);
            byte[] answer = handler.answer(review, left);
            context.contentType(JSON);
            return Optional.of(answer);
        } catch (MalformedReviewException e) {
            text(context, 400, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            // Our mistake. The API server applies the failure policy and shows this sentence to the user.
            LOG.atError()
                    .setMessage("a review failed")
                    .addKeyValue("route", route)
                    .setCause(e)
                    .log();
            text(context, 500, "plainsail failed on this object: " + e);
        }
        return Optional.empty();
    }

    /** One byte more than is allowed says that there is more. */
    private static byte[] read(Context context) {
        long announced = context.req().getContentLengthLong();
        try (InputStream body = context.req().getInputStream()) {
            if (announced < 0 || announced > LIMIT_BYTES) {
                return body.readNBytes(LIMIT_BYTES + 1);
            }
            // Of one size from the start: the API server says it, and growing buffers were a fifth of all garbage.
            byte[] bytes = new byte[(int) announced];
            int length = body.readNBytes(bytes, 0, bytes.length);
            return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
        } catch (IOException e) {
            throw new UncheckedIOException("the caller went away", e);
        }
    }

    /** As one array to the connection; Javalin would copy a result through a buffer. */
    private static void write(Context context, byte[] bytes) {
        context.res().setContentLength(bytes.length);
        try {
            context.res().getOutputStream().write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException("the caller went away", e);
        }
    }

    private static boolean isJson(@Nullable String contentType) {
        return contentType != null && contentType.split(";", 2)[0].strip().equalsIgnoreCase(JSON);
    }

    private static void text(Context context, int status, String message) {
        context.status(status).contentType("text/plain; charset=utf-8").result(message + "\n");
    }

    @Override
    public void close() {
        javalin.stop();
    }
}
