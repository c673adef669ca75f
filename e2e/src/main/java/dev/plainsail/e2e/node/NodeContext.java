package dev.plainsail.e2e.node;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.http.HttpClient;
import java.time.Clock;
import java.util.List;

/**
 * What every pod of a runner shares.
 *
 * @param images may grow while pods run
 * @param apiServer the API server's address, {@code https://host:port}
 * @param authorityPem the certificate that vouches for it
 * @param http for probes: believes every certificate, as the kubelet's does
 */
record NodeContext(
        KubernetesClient client,
        List<Image> images,
        ConfigObjects objects,
        ServiceNames services,
        String apiServer,
        String authorityPem,
        HttpClient http,
        Clock clock,
        BackOff backOff) {}
