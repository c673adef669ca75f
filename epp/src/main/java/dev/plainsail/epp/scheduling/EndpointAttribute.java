package dev.plainsail.epp.scheduling;

/** Where a plugin finds a value of an endpoint: one that its engine reports and the configuration has named. */
public record EndpointAttribute(String key) {
    /** NaN: it does not say. */
    public double of(Candidates candidates, int position) {
        Double value = candidates.load(position).attributes().get(key);
        return value == null ? Double.NaN : value;
    }
}
