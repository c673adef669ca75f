package dev.plainsail.e2e.cluster;

import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.GoTool;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.process.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Files of one folder of a Go module, in the cache: how projects that publish nothing else give us their
 * CustomResourceDefinitions.
 *
 * @param name of the cache entry
 * @param folder inside the module
 */
public record GoModule(String name, String module, String version, String folder) {

    /** InferencePool and its companions. */
    public static final GoModule INFERENCE_KINDS = new GoModule(
            "inference-kinds", "sigs.k8s.io/gateway-api-inference-extension", "v1.3.0", "config/crd/bases");

    public static final GoModule GATEWAY_API =
            new GoModule("gateway-kinds", "sigs.k8s.io/gateway-api", "v1.6.0", "config/crd/standard");

    public static final GoModule ENVOY_GATEWAY = new GoModule(
            "envoy-gateway-kinds",
            "github.com/envoyproxy/gateway",
            "v1.9.1",
            "charts/gateway-helm/charts/crds/crds/generated");

    private static final long NEEDED_BYTES = 300_000_000L;

    /** The YAML files; empty when they are not there and there is no Go to get them. */
    public Optional<Path> find(Map<String, String> environment) {
        Cache cache = Cache.of(environment, Progress.console());
        Cache.Entry entry = new Cache.Entry(name + "-" + version.substring(1), name + " " + version, NEEDED_BYTES);
        Optional<Path> go = Command.find("go", environment);
        if (!cache.has(entry) && go.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(cache.get(entry, (empty, step) -> download(cache, go.orElseThrow(), environment, empty)));
    }

    private void download(Cache cache, Path go, Map<String, String> environment, Path into)
            throws IOException, InterruptedException {
        GoTool tool = GoTool.in(cache, "." + name + "-download", go, environment);
        try (Stream<Path> files = Files.list(tool.module(module, version).resolve(folder))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".yaml")).toList()) {
                Files.copy(file, into.resolve(file.getFileName()));
            }
        }
        tool.done();
    }
}
