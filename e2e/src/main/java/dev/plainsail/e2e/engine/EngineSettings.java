package dev.plainsail.e2e.engine;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything a simulated engine is told, checked.
 *
 * @param apiKeys empty: no key is asked for
 * @param ranks data-parallel engines behind the one address, each with a cache of its own
 * @param metrics whether {@code /metrics} is there at all
 * @param headless no API server: the process only stands there, as a worker node of a larger engine does
 * @param startDelay how long nothing listens after the start
 */
record EngineSettings(
        Dialect dialect,
        InetSocketAddress address,
        Optional<Tls> tls,
        List<String> apiKeys,
        Model model,
        Cache cache,
        EngineCore.Limits limits,
        TimeModel time,
        int ranks,
        boolean promptTokensDetails,
        boolean metrics,
        boolean headless,
        Duration startDelay,
        Faults faults) {

    /** Whose flags and metrics these are. Answers have vLLM's shape in both. */
    enum Dialect {
        VLLM,
        SGLANG
    }

    /** PEM files. */
    record Tls(Path certificate, Path key) {}

    /**
     * @param root what the command line calls the model
     * @param names under which it is served, the first one also in metrics and answers
     * @param maxLoras 0: no adapters
     * @param adapters name to path
     */
    record Model(String root, List<String> names, int maxLength, int maxLoras, Map<String, String> adapters) {}

    /**
     * @param blockSizeGiven whether the user chose the block size
     * @param memoryUtilization as given; it changes nothing here but the metrics' label
     */
    record Cache(
            int blockSize,
            boolean blockSizeGiven,
            int blocks,
            boolean blocksGiven,
            boolean prefixCaching,
            double memoryUtilization) {}
}
