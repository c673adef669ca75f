package dev.plainsail.webhook.cluster;

import dev.plainsail.webhook.plan.Nearest;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Which cluster a person means, by kubectl's rules: the file that is named, else those of {@code KUBECONFIG} merged, else
 * {@code ~/.kube/config}, else the service account of the pod; there, the context that is named, else the current one.
 */
public record Kubeconfig(Optional<Path> file, Optional<String> context) {

    private static final int CONNECT_MILLIS = 10_000;

    /** @throws ClusterProblemException if there is no such file or context, with what there is instead */
    Config read() throws ClusterProblemException {
        if (file.isPresent() && !Files.isReadable(file.get())) {
            throw new ClusterProblemException("--kubeconfig: there is no readable file " + file.get());
        }
        Config config;
        try {
            config = file.isPresent()
                    ? Config.fromKubeconfig(context.orElse(null), file.get().toFile())
                    : Config.autoConfigure(context.orElse(null));
        } catch (RuntimeException e) {
            // The client throws its own, Jackson's and the YAML reader's, whatever is in the file.
            throw new ClusterProblemException("the kubeconfig " + files() + " cannot be read: "
                    + String.valueOf(e.getMessage()).replaceAll("\\s+", " ").strip());
        }
        requireContext(config);
        // A person waits for the answer: asked once more, not for minutes.
        config.setConnectionTimeout(CONNECT_MILLIS);
        config.setRequestRetryBackoffLimit(1);
        return config;
    }

    private void requireContext(Config config) throws ClusterProblemException {
        List<NamedContext> contexts = Optional.ofNullable(config.getContexts()).orElse(List.of());
        TreeSet<String> names =
                contexts.stream().map(NamedContext::getName).collect(Collectors.toCollection(TreeSet::new));
        if (context.isPresent() && !names.contains(context.get())) {
            throw new ClusterProblemException("--context: there is no context \"" + context.get() + "\" in " + files()
                    + Nearest.of(context.get(), names)
                            .map(near -> "; did you mean " + near + "?")
                            .orElse(names.isEmpty() ? "" : "; there are " + String.join(", ", names)));
        }
        if (config.getCurrentContext() == null && config.getAutoOAuthToken() == null) {
            throw new ClusterProblemException(
                    names.isEmpty()
                            ? "there is no kubeconfig: write --kubeconfig FILE, or set KUBECONFIG"
                            : files() + " has no current context: write --context with one of "
                                    + String.join(", ", names));
        }
    }

    private String files() {
        return file.map(Path::toString).orElseGet(() -> String.join(", ", Config.getKubeconfigFilenames()));
    }
}
