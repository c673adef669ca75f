package dev.plainsail.webhook.admission;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Random pods and workloads: mostly sensible, sometimes odd. The same seed gives the same object. */
final class RandomObjects {

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
                            "gpu.nvidia.com X2",
                            "gpu.nvidia.com where (")),
            Map.entry("plainsail.dev/claim", List.of("mine", "template/mine", "Bad")),
            Map.entry("plainsail.dev/container", List.of("engine", "engine,side", "side", "ghost")),
            Map.entry("plainsail.dev/engine", List.of("vllm", "sglang", "none", "x")),
            Map.entry("plainsail.dev/model", List.of("m", "Qwen/Qwen3-8B", "a b")),
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
            Map.entry("example.com/other", List.of("x")));

    private static final List<List<String>> COMMANDS = List.of(
            List.of(),
            List.of("vllm", "serve"),
            List.of("vllm", "serve", "m", "--port=9000"),
            List.of("python3", "-m", "vllm.entrypoints.openai.api_server", "--model", "m"),
            List.of("python3", "-m", "sglang.launch_server", "--model-path", "m"),
            List.of("sh", "-c", "vllm serve m --max-model-len 4096"),
            List.of("bash", "-lc", "exec vllm serve m -tp 2 $EXTRA | tee /log"),
            List.of("sh", "-c", "cat <<E\nx\nE\nvllm serve m"),
            List.of("sh", "-c", "exec \"$0\" \"$@\"", "vllm", "serve", "m"),
            List.of("/start.sh"));
    private static final List<List<String>> ARGS = List.of(
            List.of(),
            List.of(),
            List.of("m"),
            List.of("--model", "m"),
            List.of("-tp", "2"),
            List.of("serve", "m", "--kv-events-config", "{}"),
            List.of("--tensor-parallel-size=$(TP)"));
    private static final List<String> IMAGES = List.of(
            "vllm/vllm-openai:v0.12.0",
            "ghcr.io/llm-d/llm-d-cuda:v0.9.0",
            "lmsysorg/sglang:v0.5",
            "example.com/x@sha256:abc",
            "nginx");

    private final SplittableRandom random;

    RandomObjects(long seed) {
        random = new SplittableRandom(seed);
    }

    ObjectNode next() {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        String kind =
                one(List.of("Pod", "Pod", "Pod", "Deployment", "StatefulSet", "Job", "CronJob", "LeaderWorkerSet"));
        if (kind.equals("Pod")) {
            object.put("apiVersion", "v1").put("kind", kind);
            pod(object);
            return object;
        }
        object.put("apiVersion", apiVersion(kind)).put("kind", kind);
        ObjectNode metadata = object.putObject("metadata");
        metadata.put("name", "w");
        annotate(metadata, 3);
        ObjectNode spec = object.putObject("spec");
        switch (kind) {
            case "CronJob" ->
                pod(spec.putObject("jobTemplate").putObject("spec").putObject("template"));
            case "LeaderWorkerSet" -> {
                ObjectNode template = spec.putObject("leaderWorkerTemplate").put("size", random.nextInt(1, 4));
                if (random.nextBoolean()) {
                    pod(template.putObject("leaderTemplate"));
                }
                pod(template.putObject("workerTemplate"));
            }
            default -> pod(spec.put("replicas", 2).putObject("template"));
        }
        return object;
    }

    private static String apiVersion(String kind) {
        return switch (kind) {
            case "Job", "CronJob" -> "batch/v1";
            case "LeaderWorkerSet" -> "leaderworkerset.x-k8s.io/v1";
            default -> "apps/v1";
        };
    }

    private void pod(ObjectNode pod) {
        ObjectNode metadata = pod.putObject("metadata");
        if (often()) {
            annotate(metadata, 5);
        }
        if (rarely()) {
            metadata.putObject("labels").put("llm-d.ai/role", "decode").put("a/b~c", "d");
        }
        if (rarely()) {
            metadata.withObject("labels")
                    .put("leaderworkerset.sigs.k8s.io/name", "l")
                    .put("leaderworkerset.sigs.k8s.io/worker-index", one(List.of("0", "1")));
            metadata.withObject("annotations").put("leaderworkerset.sigs.k8s.io/size", "2");
        }
        ObjectNode spec = pod.putObject("spec");
        ArrayNode containers = spec.putArray("containers");
        if (rarely()) {
            containers.addObject().put("name", "side").put("image", "busybox");
        }
        container(containers.addObject().put("name", "engine"));
        if (rarely()) {
            container(spec.putArray("initContainers").addObject().put("name", "init"));
        }
        if (rarely()) {
            spec.put("enableServiceLinks", true).put("terminationGracePeriodSeconds", 30);
        }
        if (rarely()) {
            spec.putArray("resourceClaims")
                    .addObject()
                    .put("name", one(List.of("mine", "plainsail")))
                    .put("resourceClaimName", "x");
        }
        if (rarely()) {
            spec.put("hostIPC", true).put("runtimeClassName", "nvidia").putNull("volumes");
        }
    }

    private void container(ObjectNode container) {
        container.put("image", one(IMAGES));
        List<String> command = one(COMMANDS);
        if (!command.isEmpty()) {
            command.forEach(container.putArray("command")::add);
        }
        List<String> args = one(ARGS);
        if (!args.isEmpty()) {
            args.forEach(container.putArray("args")::add);
        }
        if (rarely()) {
            container.putNull("env");
        } else if (rarely()) {
            container
                    .putArray("env")
                    .addObject()
                    .put("name", "LIBRARY_PATH")
                    .put("value", one(List.of("/x", ":/x::", "", "/usr/lib/x86_64-linux-gnu")));
        } else if (rarely()) {
            container.putArray("env").addObject().put("name", "TP").put("value", "2");
            container.putArray("envFrom").addObject().putObject("configMapRef").put("name", "c");
        }
        if (rarely()) {
            ObjectNode resources = container.putObject("resources");
            resources
                    .putObject("limits")
                    .put("nvidia.com/gpu", one(List.of("1", "2", "0")))
                    .put("memory", "64Gi");
            if (random.nextBoolean()) {
                resources.putObject("requests").put("nvidia.com/gpu", 1).put("cpu", "2");
            }
        }
        if (rarely()) {
            container.putArray("ports").addObject().put("name", "http").put("containerPort", 9000);
            container.putNull("resources");
        }
    }

    private void annotate(ObjectNode metadata, int most) {
        ObjectNode annotations = metadata.putObject("annotations");
        List<String> keys = ANNOTATIONS.keySet().stream().sorted().toList();
        int count = random.nextInt(0, most + 1);
        for (int i = 0; i < count; i++) {
            String key = one(keys);
            List<String> values = ANNOTATIONS.getOrDefault(key, List.of());
            // The last of each list is mostly wrong; the lower of two throws makes it rare.
            int first = random.nextInt(values.size());
            int second = random.nextInt(values.size());
            annotations.put(key, values.get(Math.min(first, second)));
        }
    }

    private <T> T one(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private boolean rarely() {
        return random.nextInt(5) == 0;
    }

    private boolean often() {
        return random.nextInt(8) != 0;
    }
}
