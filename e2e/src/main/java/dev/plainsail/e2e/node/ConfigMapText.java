package dev.plainsail.e2e.node;

import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is changed in text files from ConfigMaps, and only there, because a process here has neither a network namespace,
 * nor cluster DNS, nor a mount namespace: {@code 0.0.0.0} becomes the pod's address, {@code NAME.NAMESPACE.svc} (with or without
 * {@code .cluster.local}) becomes the Service's address when there is such a Service, and the pod's mount paths become the
 * volumes' folders.
 */
final class ConfigMapText implements UnaryOperator<String> {

    private static final Pattern EVERY_ADDRESS = Pattern.compile("(?<![\\d.])0\\.0\\.0\\.0(?![\\d.])");
    private static final Pattern SERVICE =
            Pattern.compile("(?<![a-z0-9.-])([a-z0-9-]+)\\.([a-z0-9-]+)\\.svc(?:\\.cluster\\.local)?(?!\\.?[a-z0-9-])");

    private final String podIp;
    private final ServiceNames services;
    private final MountPaths mounts;

    ConfigMapText(String podIp, ServiceNames services, MountPaths mounts) {
        this.podIp = podIp;
        this.services = services;
        this.mounts = mounts;
    }

    @Override
    public String apply(String text) {
        String own = EVERY_ADDRESS.matcher(text).replaceAll(podIp);
        String named = SERVICE.matcher(own)
                .replaceAll(match -> Matcher.quoteReplacement(
                        services.address(match.group(2), match.group(1)).orElse(match.group())));
        return mounts.replace(named);
    }
}
