package dev.plainsail.e2e.node;

import dev.plainsail.e2e.process.ChildProcess;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.LifecycleHandler;
import io.fabric8.kubernetes.api.model.Probe;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One container of a pod: its process, its probes, its restarts. Touched by the pod's thread only,
 * but for {@code stop} and what tells where the log is. */
final class ContainerRunner {

    private static final Logger LOG = LoggerFactory.getLogger(ContainerRunner.class);

    private final Container container;
    private final boolean init;
    private final PodPlace place;
    private final HttpClient http;
    private final Clock clock;
    private final BackOff backOff;

    private volatile ContainerState state = new ContainerState.Waiting("ContainerCreating", "");
    private ContainerState.@Nullable Terminated last;
    private ContainerState.@Nullable Terminated beforeLast;
    private final AtomicInteger restarts = new AtomicInteger();
    private volatile @Nullable ChildProcess process;
    private volatile @Nullable ContainerLaunch launch;
    private @Nullable ProbeLoop startup;
    private @Nullable ProbeLoop readiness;
    private @Nullable ProbeLoop liveness;
    private @Nullable Instant mayStartAt;
    private String killedBecause = "";

    ContainerRunner(Container container, boolean init, PodPlace place, NodeContext context) {
        this.container = container;
        this.init = init;
        this.place = place;
        this.http = context.http();
        this.clock = context.clock();
        this.backOff = context.backOff();
    }

    /** Whether it stands under {@code initContainers}. */
    boolean isInit() {
        return init;
    }

    Container container() {
        return container;
    }

    ContainerState state() {
        return state;
    }

    /** How it last ended. */
    Optional<ContainerState.Terminated> last() {
        return Optional.ofNullable(last);
    }

    /** How the run before this state ended. */
    Optional<ContainerState.Terminated> previous() {
        return Optional.ofNullable(isTerminated() ? beforeLast : last);
    }

    int restarts() {
        return restarts.get();
    }

    Optional<Long> pid() {
        return Optional.ofNullable(process).map(ChildProcess::pid);
    }

    /** The current log, or the one of the run before. */
    Path log(boolean previous) {
        return place.logs()
                .resolve(container.getName() + "." + Math.max(0, previous ? restarts() - 1 : restarts()) + ".log");
    }

    boolean isRunning() {
        return state instanceof ContainerState.Running;
    }

    boolean isTerminated() {
        return state instanceof ContainerState.Terminated;
    }

    boolean isSucceeded() {
        return state instanceof ContainerState.Terminated(int code, String r, String m, Instant b, Instant e)
                && code == 0;
    }

    /** Runs, and its startup probe, if any, has passed. */
    boolean isStarted() {
        return isRunning() && (container.getStartupProbe() == null || passed(startup));
    }

    boolean isReady() {
        return isStarted() && (container.getReadinessProbe() == null || passed(readiness));
    }

    private static boolean passed(@Nullable ProbeLoop loop) {
        return loop != null && loop.verdict() == ProbeLoop.Verdict.PASSED;
    }

    void waitFor(String reason, String message) {
        state = new ContainerState.Waiting(reason, message);
    }

    /** Whether the back-off after its last end is over; until then it waits as CrashLoopBackOff. */
    boolean mayStart() {
        if (mayStartAt == null || !clock.instant().isBefore(mayStartAt)) {
            return true;
        }
        waitFor(
                "CrashLoopBackOff",
                "back-off " + backOff.after(restarts()).toSeconds() + "s restarting failed container="
                        + container.getName());
        return false;
    }

    void start(ContainerLaunch how) throws IOException {
        if (last != null) {
            restarts.incrementAndGet();
        }
        List<String> words = how.words();
        Instant now = clock.instant();
        if (words.isEmpty()) {
            waitFor(
                    "ErrImagePull",
                    "image " + container.getImage()
                            + " is not in the table of images, and the container has no command to run");
            return;
        }
        if (!how.isRunnable(words)) {
            ended(new ContainerState.Terminated(
                    128,
                    "StartError",
                    "exec: \"" + words.getFirst() + "\": executable file not found in $PATH",
                    now,
                    now));
            return;
        }
        killedBecause = "";
        launch = how;
        process = ChildProcess.start(how.spec(log(false)));
        state = new ContainerState.Running(now);
        startup = probe("startup", container.getStartupProbe());
        if (startup == null) {
            startOthers();
        }
    }

    private void startOthers() {
        readiness = probe("readiness", container.getReadinessProbe());
        liveness = probe("liveness", container.getLivenessProbe());
    }

    private @Nullable ProbeLoop probe(String kind, @Nullable Probe probe) {
        ContainerLaunch how = launch;
        if (probe == null || how == null) {
            return null;
        }
        Path log = place.logs().resolve(container.getName() + "." + kind + "-probe.log");
        return new ProbeLoop(
                container.getName() + " " + kind,
                probe,
                new ProbeCheck(container, probe, place.podIp(), http, words -> how.inside(words, log)));
    }

    /** Looks at the process and the probes; returns a sentence for an event when a probe has decided to end it. */
    Optional<String> observe(Duration grace) {
        if (process == null || !isRunning()) {
            return Optional.empty();
        }
        if (!process.isAlive()) {
            int code = process.exitCode();
            Instant began = state instanceof ContainerState.Running(Instant since) ? since : clock.instant();
            String reason = code == 0 && killedBecause.isEmpty() ? "Completed" : "Error";
            ended(new ContainerState.Terminated(code, reason, killedBecause, began, clock.instant()));
            return Optional.empty();
        }
        if (startup != null && readiness == null && liveness == null && passed(startup)) {
            startup.stop();
            startOthers();
        }
        for (ProbeLoop loop : new ProbeLoop[] {startup, liveness}) {
            if (loop != null && loop.verdict() == ProbeLoop.Verdict.FAILED && killedBecause.isEmpty()) {
                killedBecause = (loop == startup ? "startup" : "liveness") + " probe failed: " + loop.message();
                Thread.ofVirtual().start(() -> stop(grace));
                return Optional.of(killedBecause);
            }
        }
        return Optional.empty();
    }

    /** What the readiness probe last complained about, while it keeps the container from being ready. */
    Optional<String> unready() {
        ProbeLoop loop = isStarted() ? readiness : startup;
        return loop == null || passed(loop) || loop.message().isEmpty()
                ? Optional.empty()
                : Optional.of((loop == startup ? "Startup" : "Readiness") + " probe failed: " + loop.message());
    }

    private void ended(ContainerState.Terminated how) {
        stopProbes();
        state = how;
        beforeLast = last;
        last = how;
        boolean longRun = Duration.between(how.began(), how.ended()).compareTo(Duration.ofMinutes(10)) > 0;
        mayStartAt = how.ended().plus(longRun ? Duration.ZERO : backOff.after(restarts()));
    }

    private void stopProbes() {
        for (ProbeLoop loop : new ProbeLoop[] {startup, readiness, liveness}) {
            if (loop != null) {
                loop.stop();
            }
        }
        startup = null;
        readiness = null;
        liveness = null;
    }

    /** preStop, SIGTERM, the rest of the grace, SIGKILL. Blocks; safe from any thread. */
    void stop(Duration grace) {
        ChildProcess running = process;
        if (running == null || !running.isAlive()) {
            return;
        }
        Instant end = clock.instant().plus(grace);
        LifecycleHandler hook = container.getLifecycle() == null
                ? null
                : container.getLifecycle().getPreStop();
        if (hook != null && !grace.isZero()) {
            preStop(hook, grace);
        }
        Duration left = Duration.between(clock.instant(), end);
        running.stop(left.isNegative() ? Duration.ZERO : left);
    }

    private void preStop(LifecycleHandler hook, Duration grace) {
        ContainerLaunch how = launch;
        try {
            if (hook.getSleep() != null) {
                Duration wanted = Duration.ofSeconds(hook.getSleep().getSeconds());
                Thread.sleep(wanted.compareTo(grace) < 0 ? wanted : grace);
            } else if (hook.getExec() != null && how != null) {
                Path log = place.logs().resolve(container.getName() + ".preStop.log");
                ChildProcess child =
                        ChildProcess.start(how.inside(hook.getExec().getCommand(), log));
                if (!child.waitFor(grace)) {
                    child.kill();
                }
            } else if (hook.getHttpGet() != null && how != null) {
                Probe asProbe = new Probe();
                asProbe.setHttpGet(hook.getHttpGet());
                new ProbeCheck(container, asProbe, place.podIp(), http, words -> how.inside(words, log(false))).run();
            }
        } catch (IOException e) {
            LOG.info("preStop hook of {} did not run: {}", container.getName(), e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** SIGKILL at once. */
    void kill() {
        ChildProcess running = process;
        if (running != null) {
            running.kill();
        }
    }
}
