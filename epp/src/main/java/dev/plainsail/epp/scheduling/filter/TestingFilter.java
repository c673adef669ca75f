package dev.plainsail.epp.scheduling.filter;

import dev.plainsail.epp.pool.Endpoint;
import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.Filter;
import dev.plainsail.epp.scheduling.InferenceRequest;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Limits the choice to what the header {@value #HEADER} lists, for the gateways' conformance tests; never for production. */
public final class TestingFilter implements Filter {
    static final String HEADER = "test-epp-endpoint-selection";

    @Override
    public Candidates filter(InferenceRequest request, Candidates candidates) {
        String wanted = request.headers().get(HEADER);
        if (wanted == null || wanted.isBlank()) {
            return candidates;
        }
        Set<String> entries = Stream.of(wanted.split(",")).map(String::trim).collect(Collectors.toSet());
        return candidates.where(position -> {
            Endpoint endpoint = candidates.endpoint(position);
            return entries.contains(endpoint.hostPort())
                    || entries.contains(endpoint.address().getAddress().getHostAddress());
        });
    }
}
