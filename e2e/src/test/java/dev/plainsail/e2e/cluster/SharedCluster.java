package dev.plainsail.e2e.cluster;

import static dev.plainsail.certs.Waiting.await;

import dev.plainsail.e2e.realnode.Unavailable;
import dev.plainsail.e2e.story.Checkout;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.opentest4j.TestAbortedException;

/**
 * Gives tests one cluster for the whole run, started when the first asks for it and closed after the last: {@code
 * @ExtendWith(SharedCluster.class)} and a parameter of type {@code LocalCluster} or {@code KubernetesClient}, or a {@code
 * TestSpace}, a namespace of the test class's own. Test classes run one after the other; each finds the namespaces of those
 * before it gone, and the devices of their pods with them, and must leave nothing outside its own.
 */
public final class SharedCluster implements ParameterResolver {

    private static final ExtensionContext.Namespace ALL = ExtensionContext.Namespace.create(SharedCluster.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == LocalCluster.class || type == KubernetesClient.class || type == TestSpace.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        LocalCluster cluster = cluster(context.getRoot().getStore(ALL));
        Class<?> test = context.getRequiredTestClass();
        ExtensionContext ofClass =
                context.getTestMethod().isPresent() ? context.getParent().orElseThrow() : context;
        ExtensionContext.Store store = ofClass.getStore(ExtensionContext.Namespace.create(test));
        store.computeIfAbsent("clean", key -> {
            awaitOthersGone(cluster);
            return true;
        });
        Class<?> type = parameter.getParameter().getType();
        if (type == LocalCluster.class) {
            return cluster;
        }
        if (type == KubernetesClient.class) {
            return cluster.client();
        }
        return store.computeIfAbsent(
                "space",
                key -> TestSpace.create(cluster, test.getSimpleName().toLowerCase(Locale.ROOT)),
                TestSpace.class);
    }

    private static LocalCluster cluster(ExtensionContext.Store all) {
        if ("k3s".equals(System.getenv("PLAINSAIL_CLUSTER"))) {
            return all.computeIfAbsent("k3s", key -> k3s(), K3s.class).cluster();
        }
        return all.computeIfAbsent("cluster", key -> LocalCluster.start(System.getenv()), LocalCluster.class);
    }

    /** With what the build has made of our images. */
    private static K3s k3s() {
        Checkout checkout = Checkout.find();
        try {
            return K3s.start(System.getenv(), List.of(checkout.image("webhook"), checkout.image("epp")));
        } catch (Unavailable e) {
            throw new TestAbortedException(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitOthersGone(LocalCluster cluster) {
        await("the namespaces of earlier tests to be gone")
                .atMost(Duration.ofMinutes(5))
                .until(() -> cluster.client().namespaces().list().getItems().stream()
                        .noneMatch(namespace -> namespace.getMetadata().getDeletionTimestamp() != null));
    }
}
