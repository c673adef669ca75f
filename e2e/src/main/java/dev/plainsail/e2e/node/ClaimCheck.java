package dev.plainsail.e2e.node;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodResourceClaim;
import io.fabric8.kubernetes.api.model.PodResourceClaimStatus;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A pod's claims as the kubelet looks at them before it starts anything: each must exist, be allocated, and be reserved for
 * this very pod.
 *
 * @param problem why the pod may not start; empty when it may
 * @param devices what was allocated, by the name of the pod's claim entry
 */
record ClaimCheck(Optional<String> problem, Map<String, List<DeviceRequestAllocationResult>> devices) {

    /** The one driver whose devices we show to containers; it stands for what a CDI file of a real driver adds. */
    static final String TEST_DRIVER = "gpu.plainsail.test";

    static final String TEST_DEVICES = "PLAINSAIL_TEST_DEVICES";

    /** @param find a claim of the pod's namespace by its name */
    static ClaimCheck of(Pod pod, Function<String, Optional<ResourceClaim>> find) {
        Map<String, List<DeviceRequestAllocationResult>> devices = new LinkedHashMap<>();
        for (PodResourceClaim entry : pod.getSpec().getResourceClaims()) {
            Optional<String> name = claimName(pod, entry);
            if (name.isEmpty()) {
                if (isMade(pod, entry)) {
                    continue; // the controller decided that no claim is needed
                }
                return refused("the claim of entry " + entry.getName() + " is not created yet");
            }
            Optional<ResourceClaim> claim = find.apply(name.get());
            if (claim.isEmpty()) {
                return refused("resource claim " + name.get() + " does not exist");
            }
            Optional<String> problem = problem(pod, claim.get());
            if (problem.isPresent()) {
                return refused(problem.get());
            }
            devices.put(
                    entry.getName(),
                    List.copyOf(
                            claim.get().getStatus().getAllocation().getDevices().getResults()));
        }
        return new ClaimCheck(Optional.empty(), devices);
    }

    private static ClaimCheck refused(String problem) {
        return new ClaimCheck(Optional.of(problem), Map.of());
    }

    private static Optional<String> claimName(Pod pod, PodResourceClaim entry) {
        if (entry.getResourceClaimName() != null) {
            return Optional.of(entry.getResourceClaimName());
        }
        return statuses(pod).stream()
                .filter(status -> status.getName().equals(entry.getName()))
                .flatMap(status -> Optional.ofNullable(status.getResourceClaimName()).stream())
                .findFirst();
    }

    private static boolean isMade(Pod pod, PodResourceClaim entry) {
        return statuses(pod).stream().anyMatch(status -> status.getName().equals(entry.getName()));
    }

    private static List<PodResourceClaimStatus> statuses(Pod pod) {
        return pod.getStatus() == null ? List.of() : pod.getStatus().getResourceClaimStatuses();
    }

    private static Optional<String> problem(Pod pod, ResourceClaim claim) {
        String name = claim.getMetadata().getName();
        if (claim.getStatus() == null || claim.getStatus().getAllocation() == null) {
            return Optional.of("resource claim " + name + " is not allocated");
        }
        boolean reserved = claim.getStatus().getReservedFor().stream()
                .anyMatch(user -> pod.getMetadata().getUid().equals(user.getUid()));
        return reserved
                ? Optional.empty()
                : Optional.of("resource claim " + name + " is not reserved for pod "
                        + pod.getMetadata().getName());
    }

    /** What a container sees of the devices that it refers to. */
    Map<String, String> variables(Container container) {
        if (container.getResources() == null) {
            return Map.of();
        }
        String names = container.getResources().getClaims().stream()
                .flatMap(use -> devices.getOrDefault(use.getName(), List.of()).stream()
                        .filter(device -> isOf(device, use.getRequest())))
                .filter(device -> device.getDriver().equals(TEST_DRIVER))
                .map(DeviceRequestAllocationResult::getDevice)
                .collect(Collectors.joining(","));
        return names.isEmpty() ? Map.of() : Map.of(TEST_DEVICES, names);
    }

    /** A result's request is {@code name}, or {@code name/alternative}; a use may name none, the first, or both. */
    private static boolean isOf(DeviceRequestAllocationResult device, @Nullable String request) {
        return request == null
                || request.isEmpty()
                || device.getRequest().equals(request)
                || device.getRequest().startsWith(request + "/");
    }
}
