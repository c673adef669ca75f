package dev.plainsail.e2e.node;

import java.util.Map;
import java.util.Optional;

/** What pods may know of Services. Called by pods' threads; answers from memory. */
public interface ServiceNames {

    /** The address under which a Service answers. */
    Optional<String> address(String namespace, String service);

    /**
     * The variables of a namespace's Services, as the kubelet gives them ({@code NAME_SERVICE_HOST} and so on), and always
     * those of the API server.
     *
     * @param links the pod's {@code enableServiceLinks}; without it the API server's only
     */
    Map<String, String> variables(String namespace, boolean links);
}
