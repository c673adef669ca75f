package dev.plainsail.e2e.cluster;

import dev.plainsail.e2e.node.ServiceNames;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** What pods learn of Services. {@code KUBERNETES_SERVICE_HOST} and {@code _PORT} name the API server itself. */
final class ServiceVariables implements ServiceNames {

    private final Supplier<? extends Collection<Service>> services;
    private final String apiHost;
    private final int apiPort;

    ServiceVariables(Supplier<? extends Collection<Service>> services, String apiHost, int apiPort) {
        this.services = services;
        this.apiHost = apiHost;
        this.apiPort = apiPort;
    }

    @Override
    public Optional<String> address(String namespace, String service) {
        return services.get().stream()
                .filter(s -> s.getMetadata().getName().equals(service)
                        && s.getMetadata().getNamespace().equals(namespace))
                .flatMap(s -> clusterIp(s).stream())
                .findFirst();
    }

    @Override
    public Map<String, String> variables(String namespace, boolean links) {
        Map<String, String> all = new LinkedHashMap<>();
        if (links) {
            for (Service service : services.get()) {
                if (service.getMetadata().getNamespace().equals(namespace)) {
                    clusterIp(service).ifPresent(ip -> add(service, ip, all));
                }
            }
        }
        all.put("KUBERNETES_SERVICE_HOST", apiHost);
        all.put("KUBERNETES_SERVICE_PORT", Integer.toString(apiPort));
        return all;
    }

    private static Optional<String> clusterIp(Service service) {
        return Optional.ofNullable(service.getSpec().getClusterIP()).filter(ip -> ip.startsWith("127."));
    }

    private static void add(Service service, String ip, Map<String, String> all) {
        String name = variable(service.getMetadata().getName());
        List<ServicePort> ports = service.getSpec().getPorts();
        all.put(name + "_SERVICE_HOST", ip);
        for (int i = 0; i < ports.size(); i++) {
            ServicePort port = ports.get(i);
            String number = Integer.toString(port.getPort());
            String protocol = port.getProtocol().toLowerCase(Locale.ROOT);
            String link = name + "_PORT_" + number + "_" + port.getProtocol();
            if (i == 0) {
                all.put(name + "_SERVICE_PORT", number);
                all.put(name + "_PORT", protocol + "://" + ip + ":" + number);
            }
            if (port.getName() != null && !port.getName().isEmpty()) {
                all.put(name + "_SERVICE_PORT_" + variable(port.getName()), number);
            }
            all.put(link, protocol + "://" + ip + ":" + number);
            all.put(link + "_PROTO", protocol);
            all.put(link + "_PORT", number);
            all.put(link + "_ADDR", ip);
        }
    }

    private static String variable(String name) {
        return name.toUpperCase(Locale.ROOT).replace('-', '_');
    }
}
