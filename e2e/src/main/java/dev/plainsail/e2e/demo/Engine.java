package dev.plainsail.e2e.demo;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.story.Checkout;
import dev.plainsail.e2e.vllm.VllmInstallation;
import java.nio.file.Path;
import java.util.Map;

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

    /** On a CPU one process is all that the tiny model is run on. */
    static Engine real(Checkout checkout, Map<String, String> environment) {
        if (VllmInstallation.find(environment).isEmpty()) {
            throw new UserError("the real vLLM is not there: " + VllmInstallation.HOW);
        }
        return new Engine(checkout.realEngine(), 1);
    }
}
