package dev.plainsail.dra;

import java.util.List;

/**
 * A relation between the devices of several requests.
 *
 * @param requests names, or {@code request/alternative}; empty means all
 * @param attribute fully qualified, {@code domain/name}
 */
public record DeviceConstraint(List<String> requests, Relation relation, String attribute) {

    public DeviceConstraint {
        requests = List.copyOf(requests);
    }

    public enum Relation {
        MATCH("matchAttribute"),
        DISTINCT("distinctAttribute");

        private final String field;

        Relation(String field) {
            this.field = field;
        }

        /** The API's field name. */
        public String field() {
            return field;
        }
    }
}
