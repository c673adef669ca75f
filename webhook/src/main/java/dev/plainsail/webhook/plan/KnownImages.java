package dev.plainsail.webhook.plan;

import dev.plainsail.webhook.engine.KnownImage;
import java.util.List;

/** The images that come with the settings' defaults; a settings file may put others in front. */
final class KnownImages {

    private static final List<String> VLLM_SERVE = List.of("vllm", "serve");
    /** CUDA's development images set this one. */
    private static final String CUDA_STUBS = "/usr/local/cuda/lib64/stubs";
    /** Runtime stage of llm-d's CUDA image (August 2026). */
    private static final String LLM_D_CUDA = String.join(
            ":",
            "/usr/local/nvidia/lib",
            "/usr/local/nvidia/lib64",
            "/usr/local/cuda/lib64",
            "/opt/ucx/lib",
            "/opt/ucx/lib64",
            "/opt/nvshmem-v3.5.21-0/lib",
            "/opt/nvshmem-v3.5.21-0/lib64",
            "/usr/local/lib",
            "/usr/local/lib64");

    /** The same, with Amazon's network libraries. */
    private static final String LLM_D_AWS = LLM_D_CUDA.replace(
            "/usr/local/cuda/lib64:", "/usr/local/cuda/lib64:/opt/amazon/efa/lib:/opt/amazon/efa/lib64:");

    static final List<KnownImage> DEFAULTS = List.of(
            new KnownImage("llm-d/llm-d-cuda*", "vllm", VLLM_SERVE, List.of(), LLM_D_CUDA),
            new KnownImage("llm-d/llm-d-aws*", "vllm", VLLM_SERVE, List.of(), LLM_D_AWS),
            new KnownImage("vllm/vllm-openai-cpu*", "vllm", VLLM_SERVE, List.of(), ""),
            new KnownImage("vllm/vllm-openai*", "vllm", VLLM_SERVE, List.of(), CUDA_STUBS),
            // No entrypoint of its own: whoever uses it writes the whole call.
            new KnownImage("lmsysorg/sglang*", "sglang", List.of(), List.of(), CUDA_STUBS));

    private KnownImages() {}
}
