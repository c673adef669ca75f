package dev.plainsail.webhook.planner;

import dev.plainsail.dra.Device;
import dev.plainsail.dra.DeviceRequest;
import dev.plainsail.dra.DeviceSelection;
import dev.plainsail.dra.cel.Checked;
import dev.plainsail.dra.cel.DeviceExpression;
import dev.plainsail.dra.cel.DeviceExpressions;
import dev.plainsail.dra.cel.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Which devices a request could have, by class and selectors, whoever holds them now. One use, one thread. */
final class DeviceMatching {

    private final DeviceExpressions expressions;
    private final Map<String, List<String>> classSelectors;
    private final List<Device> devices;
    private final BooleanSupplier isLate;
    private boolean isOutOfTime;

    DeviceMatching(
            DeviceExpressions expressions,
            Map<String, List<String>> classSelectors,
            List<Device> devices,
            BooleanSupplier isLate) {
        this.expressions = expressions;
        this.classSelectors = classSelectors;
        this.devices = devices;
        this.isLate = isLate;
    }

    /** Some expression could not be tried, or time ran out, so silence means nothing. */
    boolean isOutOfTime() {
        return isOutOfTime;
    }

    /** What is wrong with a request that no device satisfies. */
    Optional<String> doubt(DeviceRequest request) {
        List<String> doubts = new ArrayList<>();
        for (DeviceSelection selection : request.selections()) {
            Optional<String> doubt = doubt(request.name(), selection);
            if (doubt.isEmpty()) {
                return Optional.empty();
            }
            doubts.add(doubt.get());
        }
        return Optional.of(String.join("; ", doubts));
    }

    private Optional<String> doubt(String name, DeviceSelection selection) {
        List<Device> ofClass = having(devices, classSelectors.getOrDefault(selection.deviceClassName(), List.of()));
        if (isOutOfTime) {
            return Optional.empty();
        }
        if (ofClass.isEmpty()) {
            return Optional.of("request " + name + " can have no device: the class " + selection.deviceClassName()
                    + " matches none of the " + devices.size() + " devices of this cluster");
        }
        List<Device> left = ofClass;
        for (String selector : selection.selectors()) {
            List<Device> before = left;
            Optional<String> failure = failure(before, selector);
            left = having(before, List.of(selector));
            if (isOutOfTime) {
                return Optional.empty();
            }
            if (failure.isPresent()) {
                return Optional.of("request " + name + ": its condition fails on " + failure.get()
                        + "; that keeps the whole pod from being scheduled, so guard it with has() or .?");
            }
            if (left.isEmpty()) {
                return Optional.of("request " + name + " matches 0 of " + ofClass.size() + " devices of class "
                        + selection.deviceClassName()
                        + NearestMiss.of(selector, before)
                                .map(miss -> "; nearest miss: " + miss)
                                .orElse(""));
            }
        }
        return Optional.empty();
    }

    List<Device> matching(DeviceSelection selection) {
        List<Device> ofClass = having(devices, classSelectors.getOrDefault(selection.deviceClassName(), List.of()));
        return having(ofClass, selection.selectors());
    }

    private List<Device> having(List<Device> candidates, List<String> selectors) {
        List<Device> left = candidates;
        for (String selector : selectors) {
            if (!(expressions.check(selector) instanceof Checked.Usable(DeviceExpression expression))) {
                isOutOfTime = true;
                return List.of();
            }
            List<Device> next = new ArrayList<>();
            for (Device device : left) {
                if (isLate.getAsBoolean()) {
                    isOutOfTime = true;
                    return List.of();
                }
                if (expression.evaluate(device) instanceof Outcome.Match) {
                    next.add(device);
                }
            }
            left = next;
        }
        return left;
    }

    private Optional<String> failure(List<Device> candidates, String selector) {
        if (!(expressions.check(selector) instanceof Checked.Usable(DeviceExpression expression))) {
            return Optional.empty();
        }
        for (Device device : candidates) {
            if (isLate.getAsBoolean()) {
                isOutOfTime = true;
                return Optional.empty();
            }
            if (expression.evaluate(device) instanceof Outcome.Failed(String message)) {
                return Optional.of(device.path() + ": " + message);
            }
        }
        return Optional.empty();
    }
}
