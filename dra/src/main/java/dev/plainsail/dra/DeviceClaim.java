package dev.plainsail.dra;

import java.util.ArrayList;
import java.util.List;

/**
 * What one pod wants to hold: the {@code devices} part of a {@code resource.k8s.io/v1} ResourceClaim, with the API's
 * defaults filled in. Two claims that ask for the same are equal and have the same {@link #templateName()}.
 * A value of this type has passed every check that the API server makes, but for CEL, whose expressions are texts here.
 */
public record DeviceClaim(List<DeviceRequest> requests, List<DeviceConstraint> constraints, List<DeviceConfig> config) {

    /** The API's bound on requests, constraints, configurations and allocated devices of one claim. */
    public static final int LIMIT = 32;

    public DeviceClaim {
        requests = List.copyOf(requests);
        constraints = List.copyOf(constraints);
        config = List.copyOf(config);
        if (requests.isEmpty() || requests.size() > LIMIT) {
            throw new IllegalArgumentException("a claim has 1 to 32 requests, not " + requests.size());
        }
    }

    public static DeviceClaim of(DeviceRequest... requests) {
        return new DeviceClaim(List.of(requests), List.of(), List.of());
    }

    /** The same claim with another count in its first request, which must be {@code exactly} with a count. */
    public DeviceClaim withFirstCount(long count) {
        if (!(requests.getFirst() instanceof DeviceRequest.Exactly(String name, DeviceSelection selection))) {
            throw new IllegalArgumentException("the first request has alternatives: " + requests.getFirst());
        }
        List<DeviceRequest> changed = new ArrayList<>(requests);
        changed.set(0, new DeviceRequest.Exactly(name, selection.withCount(count)));
        return new DeviceClaim(changed, constraints, config);
    }

    /** Compact JSON with sorted keys and all defaults: equal claims, equal text. {@link DeviceClaimText#parse} reads it back. */
    public String canonical() {
        return ClaimJson.canonical(this);
    }

    /** The name that every template with this content has: at most 63 characters, so that it fits a label value. */
    public String templateName() {
        return ClaimTemplate.nameOf(this);
    }

    /** The class of the first request (of its first alternative): what the claim is mainly about. */
    public String mainClass() {
        return requests.getFirst().selections().getFirst().deviceClassName();
    }

    /** Every class that the claim names, in order, each once. */
    public List<String> classes() {
        return requests.stream()
                .flatMap(request -> request.selections().stream())
                .map(DeviceSelection::deviceClassName)
                .distinct()
                .toList();
    }
}
