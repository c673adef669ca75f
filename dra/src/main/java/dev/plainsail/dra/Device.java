package dev.plainsail.dra;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One device as a driver published it.
 *
 * @param node empty if it can be reached from several nodes
 * @param attributes names as published: without a domain they belong to the driver's
 * @param capacity names as published
 */
public record Device(
        String driver,
        String pool,
        String name,
        Optional<String> node,
        Map<String, Value> attributes,
        Map<String, Quantity> capacity,
        boolean allowMultipleAllocations) {

    public Device {
        attributes = Map.copyOf(attributes);
        capacity = Map.copyOf(capacity);
    }

    /** An attribute's value. */
    public sealed interface Value {
        /** As a person would write it. */
        String shown();

        record Whole(long number) implements Value {
            @Override
            public String shown() {
                return Long.toString(number);
            }
        }

        record Flag(boolean flag) implements Value {
            @Override
            public String shown() {
                return Boolean.toString(flag);
            }
        }

        record Text(String text) implements Value {
            @Override
            public String shown() {
                return "'" + text + "'";
            }
        }

        record Version(String text) implements Value {
            @Override
            public String shown() {
                return text;
            }
        }

        record Many(List<Value> values) implements Value {
            public Many {
                values = List.copyOf(values);
            }

            @Override
            public String shown() {
                return values.stream().map(Value::shown).toList().toString();
            }
        }
    }

    /** {@code driver/pool/name}, as the scheduler prints it. */
    public String path() {
        return driver + "/" + pool + "/" + name;
    }
}
