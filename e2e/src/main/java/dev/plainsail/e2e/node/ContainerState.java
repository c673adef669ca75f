package dev.plainsail.e2e.node;

import java.time.Instant;

/** Where a container stands, in the API's three words. */
sealed interface ContainerState {

    record Waiting(String reason, String message) implements ContainerState {}

    record Running(Instant since) implements ContainerState {}

    record Terminated(int exitCode, String reason, String message, Instant began, Instant ended)
            implements ContainerState {}
}
