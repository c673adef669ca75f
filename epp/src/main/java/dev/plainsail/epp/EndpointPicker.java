package dev.plainsail.epp;

import dev.plainsail.certs.UnusableKeyPairException;
import dev.plainsail.epp.configuration.PickerConfiguration;
import dev.plainsail.epp.datalayer.EngineAccess;
import dev.plainsail.epp.observability.AdminServer;
import dev.plainsail.epp.observability.EppMetrics;
import dev.plainsail.epp.observability.Health;
import dev.plainsail.epp.observability.WatchedMetrics;
import dev.plainsail.epp.protocol.ConnectionFailures;
import dev.plainsail.epp.protocol.ExtProcServer;
import dev.plainsail.epp.protocol.ProtocolSettings;
import dev.plainsail.epp.protocol.Warmup;
import dev.plainsail.epp.routing.DecisionLog;
import dev.plainsail.epp.routing.RoutingParts;
import dev.plainsail.epp.routing.SchedulingRouter;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The running picker: its ports, what decides behind them, and the order in which they come and go. */
final class EndpointPicker {
    private static final Logger LOG = LoggerFactory.getLogger(EndpointPicker.class);
    private static final long TICKETS_PER_MILLI = 1024;
    private static final long READINESS_MILLIS = 100;
    private static final int WARM_STREAMS = 6000;

    private static final Duration CONFIG_INTERVAL = Duration.ofSeconds(2);

    private final Settings settings;
    private final Picking picking;
    private final Health health = new Health();
    private final ServerKeys keys;
    private final ConnectionFailures connectionFailures;
    private final ExtProcServer extProc;
    private final Server healthServer;
    private final AdminServer admin;
    private final @Nullable ConfigReload reload;
    private final @Nullable DecisionLog decisions;
    private volatile boolean warm;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().daemon().name("readiness").unstarted(task));

    private EndpointPicker(Settings settings, PickerConfiguration configuration, long startMillis)
            throws IOException, UnusableKeyPairException {
        this.settings = settings;
        EppMetrics metrics = new EppMetrics();
        keys = ServerKeys.of(settings);
        picking = Picking.start(
                configuration,
                sources(settings),
                SchedulingRouter.Options.seeded(settings.seed()),
                new EngineAccess(settings.engineTokenFile()),
                System::nanoTime);
        picking.routing().router().endings(metrics);
        decisions = settings.explain() || settings.decisionLogShare() > 0
                ? DecisionLog.start(settings.explain(), settings.decisionLogShare())
                : null;
        if (decisions != null) {
            picking.routing().router().decisions(decisions);
        }
        connectionFailures = ConnectionFailures.listen(metrics::failed, System::nanoTime);
        extProc = new ExtProcServer(
                address(settings.grpcPort()),
                keys.credentials(),
                settings.eventLoops(),
                picking.router(),
                metrics.counting(picking.outcomes()),
                metrics,
                new ProtocolSettings(
                        settings.maxBodyBytes(),
                        settings.maxHeldBytes(),
                        settings.decisionTimeout(),
                        settings.endpointHeader(),
                        settings.responseUsage()),
                startMillis * TICKETS_PER_MILLI,
                System::nanoTime,
                health.service());
        watch(new WatchedMetrics(metrics.registry()));
        healthServer = NettyServerBuilder.forAddress(address(settings.healthPort()))
                .addService(health.service())
                .build();
        admin = new AdminServer(
                address(settings.metricsPort()),
                metrics.registry(),
                health,
                Map.of(
                        "/config",
                        () -> picking.configuration().effective(),
                        "/debug/endpoints",
                        picking.routing()::describe,
                        "/debug/decisions",
                        () -> decisions == null
                                ? "no decision is kept; start the picker with --decision-log=0.01 or --explain\n"
                                : decisions.page()));
        reload = settings.configFile() == null || settings.configText() == null
                ? null
                : ConfigReload.start(
                        settings.configFile(),
                        settings.configText(),
                        settings.allowExperimental(),
                        picking::reconfigure,
                        CONFIG_INTERVAL);
    }

    private void watch(WatchedMetrics watched) {
        RoutingParts routing = picking.routing();
        watched.heldBytes(extProc::heldBytes);
        watched.prefixBlocks(routing::prefixBlocks);
        watched.scrapeFailures(routing::scrapeFailures);
        watched.running(routing.router()::running);
        watched.pools(routing::states);
        watched.version(Flags.VERSION);
    }

    /** @param startMillis wall clock; tickets of this run begin there, so that they never meet those of an earlier one */
    static EndpointPicker start(Settings settings, PickerConfiguration configuration, long startMillis)
            throws IOException, UnusableKeyPairException {
        EndpointPicker picker = new EndpointPicker(settings, configuration, startMillis);
        picker.extProc.start();
        picker.healthServer.start();
        picker.admin.start();
        Thread.ofPlatform().daemon().name("warm-up").start(picker::warmUp);
        var _ = picker.timer.scheduleWithFixedDelay(picker::checkReadiness, 0, READINESS_MILLIS, TimeUnit.MILLISECONDS);
        if (!settings.withoutEffect().isEmpty()) {
            LOG.atWarn()
                    .setMessage("flags without effect here; epp/README.md says why")
                    .addKeyValue("flags", settings.withoutEffect())
                    .log();
        }
        LOG.atInfo()
                .setMessage("the picker listens")
                .addKeyValue("ext_proc", picker.extProc.port())
                .addKeyValue("tls", settings.secureServing())
                .addKeyValue("health", picker.healthServer.getPort())
                .addKeyValue("metrics", picker.admin.port())
                .log();
        return picker;
    }

    private void warmUp() {
        long start = System.nanoTime();
        try {
            int streams = Warmup.run(WARM_STREAMS, settings.warmUp());
            LOG.atInfo()
                    .setMessage("warm")
                    .addKeyValue("streams", streams)
                    .addKeyValue("millis", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start))
                    .log();
        } catch (IOException e) {
            LOG.atWarn().setMessage("not warmed up").setCause(e).log();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        warm = true;
    }

    private void checkReadiness() {
        boolean ready = warm && picking.synced();
        if (ready != health.isReady()) {
            health.set(ready);
            LOG.atInfo().setMessage(ready ? "ready" : "not ready").log();
        }
    }

    /** Takes no new streams, lets the running ones end, stops. */
    void drain() {
        timer.shutdownNow();
        health.set(false);
        try {
            boolean ended = extProc.drain(settings.drainTimeout().toMillis());
            LOG.atInfo().setMessage("drained").addKeyValue("all_ended", ended).log();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        healthServer.shutdownNow();
        admin.close();
        if (reload != null) {
            reload.close();
        }
        picking.close();
        if (decisions != null) {
            decisions.close();
        }
        keys.close();
        connectionFailures.close();
    }

    private InetSocketAddress address(int port) {
        String host = settings.bindHost();
        return host == null ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
    }

    private static Picking.Sources sources(Settings settings) {
        return new Picking.Sources(
                settings.kubernetes(),
                settings.namespace(),
                settings.pools(),
                settings.endpointsFile(),
                settings.defaultPool());
    }
}
