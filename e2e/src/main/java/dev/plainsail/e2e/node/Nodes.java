package dev.plainsail.e2e.node;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.NodeStatusBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.io.InputStream;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The Node objects with their made-up devices, and the leases that keep them Ready. */
final class Nodes implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Nodes.class);
    private static final String LEASES = "kube-node-lease";
    private static final Duration HEARTBEAT = Duration.ofSeconds(5);
    private static final int LEASE_SECONDS = 40;
    private static final Map<String, Quantity> CAPACITY = Map.of(
            "cpu", new Quantity("64"),
            "memory", new Quantity("512Gi"),
            "ephemeral-storage", new Quantity("1Ti"),
            "pods", new Quantity("110"));

    private final KubernetesClient client;
    private final List<NodePlace> places;
    private final int kubeletPort;
    private final Clock clock;
    private final Thread heart;

    /** Creates the nodes and devices; returns when they are there. */
    Nodes(KubernetesClient client, List<NodePlace> places, int kubeletPort, Clock clock) throws IOException {
        this.client = client;
        this.places = List.copyOf(places);
        this.kubeletPort = kubeletPort;
        this.clock = clock;
        for (NodePlace place : places) {
            create(place);
        }
        try (InputStream devices = Nodes.class.getResourceAsStream("devices.yaml")) {
            client.load(devices).items().forEach(item -> client.resource(item).create());
        }
        this.heart = Thread.ofVirtual().name("node leases").start(this::beat);
    }

    private void create(NodePlace place) {
        Node node = new NodeBuilder()
                .withNewMetadata()
                .withName(place.name())
                .addToLabels("kubernetes.io/hostname", place.name())
                .addToLabels("kubernetes.io/os", "linux")
                .addToLabels("kubernetes.io/arch", System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64")
                .endMetadata()
                .build();
        client.nodes().resource(node).create();
        Lease lease = new LeaseBuilder()
                .withNewMetadata()
                .withName(place.name())
                .withNamespace(LEASES)
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity(place.name())
                .withLeaseDurationSeconds(LEASE_SECONDS)
                .withRenewTime(now())
                .endSpec()
                .build();
        client.leases().inNamespace(LEASES).resource(lease).create();
        patchStatus(place);
    }

    private void patchStatus(NodePlace place) {
        String time = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        NodeStatus status = new NodeStatusBuilder()
                .withCapacity(CAPACITY)
                .withAllocatable(CAPACITY)
                .addNewAddress(place.address(), "InternalIP")
                .addNewAddress(place.name(), "Hostname")
                .withNewDaemonEndpoints()
                .withNewKubeletEndpoint(kubeletPort)
                .endDaemonEndpoints()
                .withConditions(new NodeConditionBuilder()
                        .withType("Ready")
                        .withStatus("True")
                        .withReason("ProcessesCanStart")
                        .withMessage("pods run as processes")
                        .withLastHeartbeatTime(time)
                        .withLastTransitionTime(time)
                        .build())
                .withNewNodeInfo()
                .withArchitecture(System.getProperty("os.arch"))
                .withOperatingSystem("linux")
                .withKernelVersion(System.getProperty("os.version"))
                .withOsImage("Plainsail local cluster")
                .withContainerRuntimeVersion("process://1")
                .withKubeletVersion("v1.36.3")
                .withKubeProxyVersion("")
                .withBootID("")
                .withMachineID("")
                .withSystemUUID("")
                .endNodeInfo()
                .build();
        client.nodes()
                .withName(place.name())
                .subresource("status")
                .patch(
                        PatchContext.of(PatchType.STRATEGIC_MERGE),
                        client.getKubernetesSerialization().asJson(Map.of("status", status)));
    }

    private void beat() {
        try {
            while (true) {
                Thread.sleep(HEARTBEAT);
                places.forEach(this::renew);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    private void renew(NodePlace place) {
        try {
            client.leases()
                    .inNamespace(LEASES)
                    .withName(place.name())
                    .patch(
                            PatchContext.of(PatchType.JSON_MERGE),
                            "{\"spec\":{\"renewTime\":\"" + now().toInstant().truncatedTo(ChronoUnit.MICROS) + "\"}}");
        } catch (KubernetesClientException e) {
            LOG.debug("the lease of {} was not renewed this time", place.name(), e);
        }
    }

    private ZonedDateTime now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS).atZone(ZoneOffset.UTC);
    }

    @Override
    public void close() {
        heart.interrupt();
    }
}
