package dev.plainsail.epp.observability;

import io.grpc.BindableService;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.protobuf.services.HealthStatusManager;
import java.util.List;

/**
 * gRPC health under the five names that gateways, kubelets and charts ask for; any other name is NOT_FOUND.
 * {@code liveness} serves as long as the process answers; the others while the picker may be given requests.
 */
public final class Health {
    public static final String LIVENESS = "liveness";

    /** The empty name is the server as a whole; {@code inference-extension} is what older charts probe. */
    public static final List<String> READINESS =
            List.of("", "readiness", "envoy.service.ext_proc.v3.ExternalProcessor", "inference-extension");

    private final HealthStatusManager manager = new HealthStatusManager();
    private volatile boolean ready;

    public Health() {
        manager.setStatus(LIVENESS, ServingStatus.SERVING);
        set(false);
    }

    public BindableService service() {
        return manager.getHealthService();
    }

    public boolean isReady() {
        return ready;
    }

    /** Says whether requests may come; only a change is told to watchers. */
    public void set(boolean serving) {
        ready = serving;
        for (String name : READINESS) {
            manager.setStatus(name, serving ? ServingStatus.SERVING : ServingStatus.NOT_SERVING);
        }
    }
}
