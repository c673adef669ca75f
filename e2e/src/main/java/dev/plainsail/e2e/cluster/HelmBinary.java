package dev.plainsail.e2e.cluster;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.GoTool;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.process.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The real {@code helm}, in the cache: {@code PLAINSAIL_HELM} if that names one, else built once with Go from its module, about
 * three minutes of processor time. Without Go there is none.
 */
public final class HelmBinary {

    public static final String VERSION = "3.22.0";
    private static final long NEEDED_BYTES = 2_500_000_000L;
    private static final Cache.Entry ENTRY = new Cache.Entry("helm-" + VERSION, "Helm " + VERSION, NEEDED_BYTES);

    private HelmBinary() {}

    /** Empty when it is not there and cannot be built, because there is no Go. */
    public static Optional<Path> find(Map<String, String> environment) {
        String given = environment.getOrDefault("PLAINSAIL_HELM", "");
        if (!given.isBlank()) {
            if (!Files.isExecutable(Path.of(given))) {
                throw new UserError("PLAINSAIL_HELM names " + given + ", which is not a program: unset it");
            }
            return Optional.of(Path.of(given));
        }
        Cache cache = Cache.of(environment, Progress.console());
        Optional<Path> go = Command.find("go", environment);
        if (!cache.has(ENTRY) && go.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(cache.get(ENTRY, (empty, step) -> build(cache, go.orElseThrow(), environment, empty, step))
                .resolve("bin/helm"));
    }

    private static void build(Cache cache, Path go, Map<String, String> environment, Path into, Progress.Step step)
            throws IOException, InterruptedException {
        step.note("building with Go, once");
        GoTool tool = GoTool.in(cache, ".helm-build", go, environment)
                .with("GOBIN", Files.createDirectories(into.resolve("bin")).toString());
        // Without a release's own build it would take every chart for one of Kubernetes 1.20.
        String[] kubernetes = KubernetesBinaries.VERSION.split("\\.");
        String flags = "-s -w -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=" + kubernetes[0]
                + " -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=" + kubernetes[1];
        tool.run(
                "Helm could not be built",
                tool.work(),
                tool.work().resolve("build.log"),
                "install",
                "-trimpath",
                "-ldflags",
                flags,
                "helm.sh/helm/v3/cmd/helm@v" + VERSION);
        tool.done();
    }
}
