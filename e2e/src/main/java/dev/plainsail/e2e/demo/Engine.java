package dev.plainsail.e2e.demo;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.story.Checkout;
import dev.plainsail.e2e.vllm.VllmInstallation;
import java.nio.file.Path;
import java.util.Map;

/**
 * What stands for vLLM's image.
 *
 * @param programs folder with a {@code vllm}
 * @param model that it is asked to serve
 * @param environment of its containers
 * @param tensor the degree of tensor parallelism that it can run here
 */
record Engine(Path programs, String model, Map<String, String> environment, int tensor) {
    /** The model of the example Deployment. */
    static final String EXAMPLE_MODEL = "Qwen/Qwen3-0.6B";

    Engine {
        environment = Map.copyOf(environment);
    }

    static Engine simulated(Checkout checkout) {
        return new Engine(checkout.simulatedEngine(), EXAMPLE_MODEL, Map.of(), 2);
    }

    /** On a CPU one process is all that the tiny model is run on. */
    static Engine real(Checkout checkout, Map<String, String> environment) {
        if (VllmInstallation.find(environment).isEmpty()) {
            throw new UserError("the real vLLM is not there: " + VllmInstallation.HOW);
        }
        Path cache = Cache.of(environment, Progress.silent()).folder();
        return new Engine(
                checkout.realEngine(), VllmInstallation.TINY_MODEL, Map.of("PLAINSAIL_CACHE", cache.toString()), 1);
    }
}
