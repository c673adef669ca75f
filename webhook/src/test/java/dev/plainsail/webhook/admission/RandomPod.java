package dev.plainsail.webhook.admission;

import java.util.List;
import java.util.SplittableRandom;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A random pod's metadata and spec, of parts that fit each other as far as the API server looks. */
final class RandomPod {

    private static final List<List<String>> COMMANDS = List.of(
            List.of(),
            List.of(),
            List.of("vllm", "serve"),
            List.of("vllm", "serve", "m", "--port=9000"),
            List.of("vllm", "serve", "$(MODEL)", "--tensor-parallel-size", "$(TP)"),
            List.of("env", "A=b", "vllm", "serve", "m", "--no-enable-expert-parallel", "-dp=2"),
            List.of("python3", "-m", "vllm.entrypoints.openai.api_server", "--model", "m"),
            List.of("python3", "-m", "sglang.launch_server", "--model-path", "m"),
            List.of("vllm", "serve", "--trust-remote-code", "--", "m"),
            List.of("sh", "-c", "vllm serve"),
            List.of("sh", "-c", "vllm serve --x 1 -- m || true"),
            List.of("sh", "-c", "vllm serve m --max-model-len 4096"),
            List.of("/bin/sh", "-ec", "# start\nexport A='x \"y'\nexec vllm serve \\\n  m --json '{\"a\":1}' # end"),
            List.of("bash", "-lc", "exec vllm serve m -tp 2 $EXTRA | tee /log"),
            List.of("bash", "-c", "vllm serve a & vllm serve b; wait"),
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
            List.of("--model=m", "--chat-template", "/größe \"a\".jinja", "--ssl-certfile=/c"),
            List.of("--tensor-parallel-size=$(TP)", "$$(TP)", ""));
    private static final List<String> IMAGES = List.of(
            "vllm/vllm-openai:v0.12.0",
            "ghcr.io/llm-d/llm-d-cuda:v0.9.0",
            "lmsysorg/sglang:v0.5",
            "example.com/x@sha256:0123456789012345678901234567890123456789012345678901234567890123",
            "nginx");
    private static final List<String> RESOURCES =
            List.of("nvidia.com/gpu", "nvidia.com/gpu", "nvidia.com/mig-1g.10gb", "amd.com/gpu", "example.com/other");

    private final SplittableRandom random;

    RandomPod(SplittableRandom random) {
        this.random = random;
    }

    void fill(ObjectNode pod) {
        ObjectNode metadata = pod.putObject("metadata");
        if (random.nextInt(8) != 0) {
            RandomAnnotations.add(metadata, 5, random);
        }
        if (rarely()) {
            metadata.putObject("labels").put("llm-d.ai/role", "decode").put("a/b", "d");
        }
        if (rarely()) {
            metadata.withObject("/labels")
                    .put("leaderworkerset.sigs.k8s.io/name", "l")
                    .put("leaderworkerset.sigs.k8s.io/worker-index", one(List.of("0", "1")));
            metadata.withObject("/annotations").put("leaderworkerset.sigs.k8s.io/size", "2");
        }
        spec(pod.putObject("spec"));
    }

    private void spec(ObjectNode spec) {
        ArrayNode containers = spec.putArray("containers");
        ArrayNode volumes = spec.putArray("volumes");
        if (rarely()) {
            containers.addObject().put("name", "side").put("image", "busybox");
        }
        container(containers.addObject().put("name", "engine"), volumes);
        if (rarely()) {
            ObjectNode init = spec.putArray("initContainers").addObject().put("name", "init");
            container(init, volumes);
            if (random.nextBoolean()) {
                init.put("restartPolicy", "Always");
            }
        }
        if (volumes.isEmpty()) {
            one(List.<Runnable>of(() -> spec.remove("volumes"), () -> spec.putNull("volumes"), () -> {}))
                    .run();
        }
        if (rarely()) {
            spec.put("enableServiceLinks", random.nextBoolean())
                    .put("terminationGracePeriodSeconds", one(List.of(30, 600, 10, 1)));
        }
        if (rarely()) {
            spec.putArray("resourceClaims")
                    .addObject()
                    .put("name", one(List.of("mine", "plainsail")))
                    .put("resourceClaimName", "x");
        }
        if (rarely()) {
            spec.put("hostIPC", true).put("runtimeClassName", "nvidia");
        }
        if (rarely()) {
            spec.put("restartPolicy", one(List.of("Always", "OnFailure", "Never")));
        }
    }

    private void container(ObjectNode container, ArrayNode volumes) {
        container.put("image", one(IMAGES));
        words(container, "command", one(COMMANDS));
        words(container, "args", one(ARGS));
        environment(container);
        if (rarely()) {
            resources(container.putObject("resources"));
        } else if (rarely()) {
            container.putNull("resources");
        }
        if (rarely()) {
            container.putArray("ports").addObject().put("name", "http").put("containerPort", 9000);
        }
        if (rarely() && volumes.isEmpty()) {
            volumes.addObject()
                    .put("name", one(List.of("dshm", "plainsail-shm", "x")))
                    .putObject("emptyDir")
                    .put("medium", "Memory");
            container
                    .putArray("volumeMounts")
                    .addObject()
                    .put("name", volumes.get(0).get("name").asString())
                    .put("mountPath", one(List.of("/dev/shm", "/dev/shm/", "/x")))
                    .put("subPath", "s");
        }
        if (rarely() && container.path("name").asString().equals("engine")) {
            container
                    .putObject("readinessProbe")
                    .putObject("httpGet")
                    .put("port", 8000)
                    .put("path", "/health")
                    .put("scheme", one(List.of("HTTP", "HTTPS")));
            container
                    .putObject("lifecycle")
                    .putObject("postStart")
                    .putObject("sleep")
                    .put("seconds", 1);
        }
    }

    private static void words(ObjectNode container, String field, List<String> words) {
        if (!words.isEmpty()) {
            words.forEach(container.putArray(field)::add);
        }
    }

    private void environment(ObjectNode container) {
        switch (random.nextInt(8)) {
            case 0 -> container.putNull("env");
            case 1 ->
                container
                        .putArray("env")
                        .addObject()
                        .put("name", "LIBRARY_PATH")
                        .put("value", one(List.of("/x", ":/x::", "", "/usr/lib/x86_64-linux-gnu", "$(TP):/y")));
            case 2 -> {
                container.putArray("env").addObject().put("name", "TP").put("value", "2");
                container
                        .putArray("envFrom")
                        .addObject()
                        .putObject("configMapRef")
                        .put("name", "c");
            }
            case 3 -> {
                ArrayNode env = container.putArray("env");
                env.addObject().put("name", "POD_IP").put("value", "1");
                env.addObject().put("name", "LIBRARY_PATH").put("value", "/first");
                env.addObject()
                        .put("name", "LIBRARY_PATH")
                        .putObject("valueFrom")
                        .putObject("configMapKeyRef")
                        .put("name", "c")
                        .put("key", "k");
            }
            default -> {}
        }
    }

    private void resources(ObjectNode resources) {
        String resource = one(RESOURCES);
        String amount = one(List.of("1", "2", "0"));
        resources
                .putObject("limits")
                .put(resource, amount)
                .put("memory", one(List.of("64Gi", "1e9", "512Mi")))
                .put("cpu", "2.5");
        if (random.nextBoolean()) {
            resources
                    .putObject("requests")
                    .put(resource, Integer.parseInt(amount))
                    .put("cpu", "2");
        }
    }

    private <T> T one(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private boolean rarely() {
        return random.nextInt(5) == 0;
    }
}
