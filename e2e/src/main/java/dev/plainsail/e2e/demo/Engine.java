package dev.plainsail.e2e.demo;

import dev.plainsail.e2e.story.Checkout;
import java.nio.file.Path;

/**
 * What stands for vLLM's image.
 *
 * @param programs folder with a {@code vllm}
 * @param tensor the degree of tensor parallelism that it can run here
 */
record Engine(Path programs, int tensor) {
    static Engine simulated(Checkout checkout) {
        return new Engine(checkout.simulatedEngine(), 2);
    }
}
