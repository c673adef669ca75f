package dev.plainsail.webhook;

import dev.plainsail.certs.KeyPairReload;
import dev.plainsail.certs.ReloadingKeyManager;
import dev.plainsail.certs.UnusableKeyPairException;
import dev.plainsail.webhook.admission.AdmissionHandler;
import dev.plainsail.webhook.admission.AdmissionHandler.Mode;
import dev.plainsail.webhook.admission.AdmissionServer;
import dev.plainsail.webhook.admission.CallTimeout;
import dev.plainsail.webhook.admission.WarmUp;
import dev.plainsail.webhook.cluster.Cluster;
import dev.plainsail.webhook.cluster.ClusterInformers;
import dev.plainsail.webhook.cluster.ClusterProblemException;
import dev.plainsail.webhook.cluster.LeaderLease;
import dev.plainsail.webhook.templates.TemplateController;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The running program: every part started in order, stopped in the opposite one. */
final class Server implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Server.class);
    /** A pod may start before the network to the API server is there; longer than this is somebody's mistake. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Settings settings;
    private final Map<String, String> environment;
    private final Clock clock = Clock.systemUTC();
    private final Deque<AutoCloseable> running = new ArrayDeque<>();
    private volatile boolean serving;
    private volatile @Nullable TemplateController templates;

    Server(Settings settings, Map<String, String> environment) {
        this.settings = settings;
        this.environment = environment;
    }

    /** Serves when it returns. On an exception the caller closes what has been started so far. */
    Server start() throws ClusterProblemException, UnusableKeyPairException, InterruptedException {
        // Half a second that needs nothing of what follows.
        CompletableFuture<Void> warm =
                CompletableFuture.runAsync(() -> WarmUp.run(settings.injection(), System::nanoTime));
        PrometheusRegistry registry = new PrometheusRegistry();
        JvmMetrics.builder().register(registry);
        WebhookMetrics metrics = new WebhookMetrics(registry);
        started(new HealthServer(settings.at(settings.healthPort()), checks()).start());
        MetricsServer metricsServer = started(new MetricsServer(settings.at(settings.metricsPort()), registry).start());
        Cluster cluster = started(Cluster.connect());
        metrics.requests(cluster.requests());
        cluster.requireDeviceClaims(PATIENCE);
        String instance = environment.getOrDefault("POD_NAME", "plainsail-webhook");
        LeaderLease lease = started(LeaderLease.start(
                cluster,
                settings.namespace(),
                settings.lease(),
                instance + "-" + UUID.randomUUID(),
                this::leadershipChanged));
        if (settings.templates()) {
            TemplateController controller = started(TemplateController.start(
                    cluster, instance, settings.unusedTemplateLife(), clock, lease::isLeading));
            metrics.templates(controller);
            templates = controller;
            leadershipChanged();
        }
        ClusterInformers view = started(new ClusterInformers(cluster));
        AdmissionHandler handler = new AdmissionHandler(settings.injection(), view, metrics, System::nanoTime);
        AdmissionServer admission = started(new AdmissionServer(
                        settings.at(settings.port()),
                        keyManager(cluster, metrics, lease),
                        routes(handler),
                        metrics::answered)
                .start());
        warm.join();
        running.push(() -> {
            serving = false;
            admission.drain();
            Thread.sleep(settings.drain());
        });
        serving = true;
        LOG.atInfo()
                .setMessage("serving")
                .addKeyValue("address", settings.address().getHostAddress())
                .addKeyValue("port", admission.port())
                .addKeyValue("metrics", metricsServer.port())
                .log();
        return this;
    }

    private void leadershipChanged() {
        TemplateController controller = templates;
        if (controller != null) {
            controller.lookAtAll();
        }
    }

    private Map<String, BooleanSupplier> checks() {
        Map<String, BooleanSupplier> checks = new LinkedHashMap<>();
        checks.put("serving", () -> serving);
        if (settings.templates()) {
            checks.put("claim templates", () -> {
                TemplateController controller = templates;
                return controller != null && controller.isSynced();
            });
        }
        return checks;
    }

    private static Map<String, AdmissionServer.Route> routes(AdmissionHandler handler) {
        return Map.of(
                "/v1/mutate",
                (review, left) -> handler.handle(review, Mode.MUTATE, CallTimeout.forLooking(left)),
                "/v1/observe",
                (review, left) -> handler.handle(review, Mode.OBSERVE, CallTimeout.forLooking(left)));
    }

    private ReloadingKeyManager keyManager(Cluster cluster, WebhookMetrics metrics, LeaderLease lease)
            throws UnusableKeyPairException, InterruptedException {
        return switch (settings.certificates()) {
            case Settings.Certificates.Files files -> {
                KeyPairReload reload = started(KeyPairReload.start(files.files()));
                metrics.certificate(reload.keyManager(), reload::failures);
                yield reload.keyManager();
            }
            case Settings.Certificates.Own own -> {
                OwnAuthority authority = started(OwnAuthority.start(settings, own, cluster, clock, lease::isLeading));
                metrics.certificate(authority.keyManager(), authority::failures);
                yield authority.keyManager();
            }
        };
    }

    private <T extends AutoCloseable> T started(T part) {
        running.push(part);
        return part;
    }

    @Override
    public void close() {
        while (!running.isEmpty()) {
            try {
                running.pop().close();
            } catch (Exception e) {
                LOG.atWarn()
                        .setMessage("a part did not stop cleanly")
                        .setCause(e)
                        .log();
            }
        }
    }
}
