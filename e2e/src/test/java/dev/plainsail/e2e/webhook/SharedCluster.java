package dev.plainsail.e2e.webhook;

import dev.plainsail.e2e.cluster.LocalCluster;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One local cluster for all tests that ask for a {@link LocalCluster} or its client, started by the first and stopped at the
 * end of the run. Tests keep to namespaces of their own.
 */
public final class SharedCluster implements ParameterResolver {
    private record Held(LocalCluster cluster) implements AutoCloseable {
        @Override
        public void close() {
            cluster.close();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == LocalCluster.class || type == KubernetesClient.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        LocalCluster cluster = context.getRoot()
                .getStore(ExtensionContext.Namespace.create(SharedCluster.class))
                .computeIfAbsent("cluster", key -> start(), Held.class)
                .cluster();
        return parameter.getParameter().getType() == LocalCluster.class ? cluster : cluster.client();
    }

    private static Held start() {
        return new Held(LocalCluster.start(System.getenv()));
    }
}
