package dev.plainsail.dra;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Which devices, and how many: a class narrowed by CEL selectors (all must hold).
 *
 * @param capacity what each device must offer at least, by capacity name; quantities in the API's canonical spelling
 */
public record DeviceSelection(
        String deviceClassName,
        List<String> selectors,
        Allocation allocation,
        List<Toleration> tolerations,
        SortedMap<String, Quantity> capacity) {

    public DeviceSelection {
        selectors = List.copyOf(selectors);
        tolerations = List.copyOf(tolerations);
        capacity = new TreeMap<>(capacity);
    }

    public static DeviceSelection of(String deviceClassName, long count, String... selectors) {
        return new DeviceSelection(
                deviceClassName, List.of(selectors), new Allocation.ExactCount(count), List.of(), new TreeMap<>());
    }

    DeviceSelection withCount(long count) {
        return new DeviceSelection(deviceClassName, selectors, new Allocation.ExactCount(count), tolerations, capacity);
    }

    @Override
    public SortedMap<String, Quantity> capacity() {
        return new TreeMap<>(capacity);
    }

    /** The API's {@code allocationMode} with its {@code count}. */
    public sealed interface Allocation {
        OptionalLong count();

        record ExactCount(long devices) implements Allocation {
            public ExactCount {
                if (devices < 1) {
                    throw new IllegalArgumentException("count " + devices + " is not positive");
                }
            }

            @Override
            public OptionalLong count() {
                return OptionalLong.of(devices);
            }
        }

        record All() implements Allocation {
            @Override
            public OptionalLong count() {
                return OptionalLong.empty();
            }
        }
    }

    /** Lets the request have a tainted device; fields as upstream, absent ones absent, {@code operator} filled in. */
    public record Toleration(Map<String, String> texts, OptionalLong tolerationSeconds) {
        public Toleration {
            texts = Map.copyOf(texts);
        }
    }
}
