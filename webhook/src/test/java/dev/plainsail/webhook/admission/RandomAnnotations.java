package dev.plainsail.webhook.admission;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import tools.jackson.databind.node.ObjectNode;

/** Random annotations: each key that we know, with values of which the last is mostly wrong. */
final class RandomAnnotations {

    private static final Map<String, List<String>> ANNOTATIONS = Map.ofEntries(
            Map.entry("plainsail.dev/inject", List.of("true", "true", "false", " true ", "yes")),
            Map.entry(
                    "plainsail.dev/devices",
                    List.of(
                            "gpu.nvidia.com",
                            "auto",
                            "gpu.nvidia.com x2",
                            "gpu=gpu.nvidia.com x4 where device.driver == \"gpu.nvidia.com\", nic.example.com all",
                            "requests:\n- name: a\n  exactly: {deviceClassName: gpu.example.com}\n",
                            "gpu.nvidia.com x3 where device.driver == 'a, x2 where b' || \"\"\"c, d\"\"\" == r'\\',nic.example.com",
                            "{\"requests\": [{\"name\": \"a\", \"firstAvailable\": [{\"name\": \"b\", \"deviceClassName\": \"c\", \"count\": 2},"
                                    + " {\"name\": \"d\", \"deviceClassName\": \"e\", \"allocationMode\": \"All\"}]}],"
                                    + " \"constraints\": [{\"matchAttribute\": \"a.b/c\"}]}",
                            "gpu.nvidia.com X2",
                            "gpu.nvidia.com where (")),
            Map.entry("plainsail.dev/claim", List.of("mine", "template/mine", "Bad")),
            Map.entry("plainsail.dev/container", List.of("engine", "engine,side", "side", "ghost")),
            Map.entry("plainsail.dev/engine", List.of("vllm", "sglang", "none", "x")),
            Map.entry("plainsail.dev/model", List.of("m", "Qwen/Qwen3-8B", "/models/größe", "a b")),
            Map.entry(
                    "plainsail.dev/parallelism",
                    List.of(
                            "tensor=2",
                            "tensor=2,pipeline=2",
                            "data=2,data-local=2,expert",
                            "tensor=8,expert=8",
                            "tensor=0")),
            Map.entry("plainsail.dev/role", List.of("prefill", "decode", "both", "x")),
            Map.entry(
                    "plainsail.dev/kv-transfer",
                    List.of(
                            "nixl",
                            "offloading",
                            "shared-storage",
                            "lmcache",
                            "{\"kv_connector\":\"X\",\"kv_role\":\"kv_both\"}",
                            "{}")),
            Map.entry("plainsail.dev/kv-events", List.of("true", "false", "tcp://*:6000", "x")),
            Map.entry(
                    "plainsail.dev/engine-args",
                    List.of(
                            "--max-model-len 8192",
                            "--x 'a b' --middleware m.n --middleware o.p",
                            "--chat-template '/größe/t \"x\".jinja' --json '{\"a\": [1e3, 1.0, null]}' --neg -1",
                            "--tensor-parallel-size 2",
                            "--y=$(POD_IP)",
                            "--z '")),
            Map.entry("plainsail.dev/library-path", List.of("auto", "off", "/a:/b", "a")),
            Map.entry("plainsail.dev/pool", List.of("p", "q", "-")),
            Map.entry("plainsail.dev/port", List.of("8000", "9000", "http", "0")),
            Map.entry("plainsail.dev/fill", List.of("shm probes grace service-links host-ip", "probes", "off", "x")),
            Map.entry("plainsail.dev/placement", List.of("prefer")),
            Map.entry("serving.kserve.io/exp-dra-device-class", List.of("gpu.nvidia.com")),
            Map.entry("serving.kserve.io/exp-dra-device-count", List.of("2")),
            Map.entry(
                    "serving.kserve.io/exp-dra-cel-selector", List.of("device.driver == \"gpu.nvidia.com\"\n\ntrue\n")),
            Map.entry("serving.kserve.io/exp-dra-container-name", List.of("engine", "side", "ghost")),
            Map.entry("kubectl.kubernetes.io/default-container", List.of("engine", "side", "ghost")),
            Map.entry("plainsail.dev/devises", List.of("x")),
            Map.entry("example.com/other", List.of("x")));

    private static final int THROWS = 3;
    private static final List<String> KEYS =
            ANNOTATIONS.keySet().stream().sorted().toList();

    private RandomAnnotations() {}

    static void add(ObjectNode metadata, int most, SplittableRandom random) {
        ObjectNode annotations = metadata.putObject("annotations");
        int count = random.nextInt(0, most + 1);
        for (int added = 0; added < count; added++) {
            String key = KEYS.get(random.nextInt(KEYS.size()));
            List<String> values = ANNOTATIONS.getOrDefault(key, List.of());
            // The lowest of some throws makes the last one rare.
            int lowest = values.size() - 1;
            for (int i = 0; i < THROWS; i++) {
                lowest = Math.min(lowest, random.nextInt(values.size()));
            }
            annotations.put(key, values.get(lowest));
        }
    }
}
