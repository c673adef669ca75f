package dev.plainsail.epp.protocol;

import java.time.Duration;

/**
 * @param maxBodyBytes a longer request body is refused with 413
 * @param maxHeldBytes memory for bodies of the whole process; beyond it new bodies are refused with 503
 * @param decisionTimeout longest silence between a message of the proxy and a verdict; then 503
 * @param endpointHeader whether response headers that pass are told the endpoint
 * @param responseUsage whether answers that pass are searched for what they say of their tokens
 */
public record ProtocolSettings(
        long maxBodyBytes,
        long maxHeldBytes,
        Duration decisionTimeout,
        boolean endpointHeader,
        boolean responseUsage) {}
