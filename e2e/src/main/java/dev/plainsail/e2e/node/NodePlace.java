package dev.plainsail.e2e.node;

/**
 * A node to be.
 *
 * @param address its own loopback address
 * @param podPrefix the first three numbers of its pods' addresses, with the last dot
 */
public record NodePlace(String name, String address, String podPrefix) {}
