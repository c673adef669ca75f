package dev.plainsail.epp.routing;

/**
 * What a request is taken to cost its endpoint.
 *
 * @param prefillTokens prompt tokens that it does not hold
 * @param outputTokens expected; 0 unless the configuration asks to count them
 */
record Charge(int prefillTokens, int outputTokens) {}
