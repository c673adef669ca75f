package dev.plainsail.e2e.cluster;

import java.util.Locale;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests one cluster for the whole run, started when the first asks for it and closed after the last: {@code
 * @ExtendWith(SharedCluster.class)} and a parameter of type {@code LocalCluster}, or a {@code TestSpace}, a namespace of the test
 * class's own. Tests must leave nothing outside their namespace.
 */
public final class SharedCluster implements ParameterResolver {

    private static final ExtensionContext.Namespace ALL = ExtensionContext.Namespace.create(SharedCluster.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == LocalCluster.class || type == TestSpace.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        LocalCluster cluster = context.getRoot()
                .getStore(ALL)
                .computeIfAbsent("cluster", key -> LocalCluster.start(System.getenv()), LocalCluster.class);
        if (parameter.getParameter().getType() == LocalCluster.class) {
            return cluster;
        }
        Class<?> test = context.getRequiredTestClass();
        ExtensionContext ofClass =
                context.getTestMethod().isPresent() ? context.getParent().orElseThrow() : context;
        return ofClass.getStore(ExtensionContext.Namespace.create(test))
                .computeIfAbsent(
                        "space",
                        key -> TestSpace.create(cluster, test.getSimpleName().toLowerCase(Locale.ROOT)),
                        TestSpace.class);
    }
}
