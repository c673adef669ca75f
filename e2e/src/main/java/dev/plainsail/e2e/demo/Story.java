package dev.plainsail.e2e.demo;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.story.Checkout;
import dev.plainsail.e2e.story.Deployed;
import dev.plainsail.e2e.story.Gateway;
import dev.plainsail.e2e.story.Installation;
import dev.plainsail.e2e.story.RunningContainer;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** A plain Deployment becomes a wired and routed one. Each step prints what it did and the proof; a missing proof ends it. */
final class Story {
    private static final String CONTAINER = "vllm";
    private static final List<String> PROMPTS = List.of("tides", "bridges", "lichens", "clocks");
    private static final int REPEATS = 3;

    private final LocalCluster cluster;
    private final Checkout checkout;
    private final Screen screen;
    private final String model;
    private final int tensor;
    private final Deployed vllm;

    Story(LocalCluster cluster, Checkout checkout, Screen screen, Engine engine) {
        this.cluster = cluster;
        this.checkout = checkout;
        this.screen = screen;
        this.model = engine.model();
        this.tensor = engine.tensor();
        this.vllm = new Deployed(cluster, "default", "vllm");
    }

    void tell() throws IOException, InterruptedException {
        Installation installation = install();
        deployPlain();
        annotate();
        showMistakes();
        Gateway gateway = installation.gateway();
        route(gateway);
        killPicker(installation, gateway);
    }

    private Installation install() throws IOException, InterruptedException {
        screen.step("Install Plainsail: the manifests as they are shipped");
        screen.command("kubectl apply -k manifests/base -k manifests/envoy/standalone");
        long began = System.nanoTime();
        Installation installation = Installation.apply(cluster, checkout);
        screen.proof(
                "Installed",
                "webhook, picker and Envoy available after " + seconds(System.nanoTime() - began) + ", each a process");
        return installation;
    }

    private void deployPlain() throws IOException, InterruptedException {
        screen.step("A plain vLLM Deployment, two replicas, nothing of Plainsail in it");
        screen.command("kubectl apply -f manifests/example/deployment.yaml");
        String manifest = Files.readString(checkout.manifests("example/deployment.yaml"));
        if (!model.equals(Engine.EXAMPLE_MODEL)) {
            screen.line("(with the model " + model + " in place of " + Engine.EXAMPLE_MODEL + ")");
        }
        var applied = cluster.kubectl().tryRun(manifest.replace(Engine.EXAMPLE_MODEL, model), "apply", "-f", "-");
        check(applied.exitCode() == 0, applied.errors());
        vllm.awaitRolledOut();
        for (Pod pod : vllm.pods()) {
            screen.line(name(pod) + "  runs: " + words(RunningContainer.of(pod, CONTAINER)));
        }
        check(vllm.pods().stream().allMatch(pod -> vllm.claims(pod).isEmpty()), "a plain pod has a claim");
        screen.proof("Before", vllm.pods().size() + " pods, no claim, no LIBRARY_PATH, not in any pool");
    }

    private void annotate() throws IOException, InterruptedException {
        screen.step("One command");
        List<String> annotations = List.of(
                "plainsail.dev/devices=gpu=gpu.nvidia.com x" + tensor
                        + " where device.capacity[\"gpu.nvidia.com\"].memory.isGreaterThan(quantity(\"40Gi\"))",
                "plainsail.dev/parallelism=tensor=" + tensor,
                "plainsail.dev/pool=chat");
        screen.command("kubectl annotate deployment vllm \\\n        "
                + annotations.stream().map(Story::quoted).collect(Collectors.joining(" \\\n        ")));
        String before = specWithoutTemplateMetadata();
        List<String> command = new ArrayList<>(List.of("annotate", "deployment", "vllm"));
        command.addAll(annotations);
        long began = System.nanoTime();
        screen.line(cluster.kubectl().run(command.toArray(String[]::new)).strip());
        vllm.awaitRolledOut();
        screen.line("rolled out after " + seconds(System.nanoTime() - began));

        for (Pod pod : vllm.pods()) {
            show(pod);
        }
        check(before.equals(specWithoutTemplateMetadata()), "the Deployment's spec changed");
        check(vllm.replicaSets().size() == 2, "there are " + vllm.replicaSets().size() + " ReplicaSets");
        screen.proof("Your Deployment", "its spec is as you wrote it; two ReplicaSets, the old and the new");
    }

    private void show(Pod pod) throws IOException {
        List<ResourceClaim> claims = vllm.claims(pod);
        check(claims.size() == 1, pod.getMetadata().getName() + " has " + claims.size() + " claims");
        ResourceClaim claim = claims.getFirst();
        check(Deployed.devices(claim).size() == tensor, "devices " + Deployed.devices(claim));
        check(Deployed.isReservedFor(claim, pod), "the claim is not reserved for its pod");
        screen.proof(
                "Claim of " + name(pod),
                String.join(" ", Deployed.devices(claim)) + " on "
                        + pod.getSpec().getNodeName() + ", allocated and reserved by the real scheduler");
        RunningContainer engine = RunningContainer.of(pod, CONTAINER);
        String path = engine.environment().getOrDefault("LIBRARY_PATH", "");
        check(path.startsWith("/usr/lib/x86_64-linux-gnu"), "LIBRARY_PATH is " + path);
        screen.proof("LIBRARY_PATH of process " + engine.pid(), path);
        String words = words(engine);
        check(words.matches(".*--tensor-parallel-size[ =]" + tensor + "\\b.*"), "the engine runs as " + words);
        screen.proof("Command line of process " + engine.pid(), words);
    }

    private String specWithoutTemplateMetadata() {
        var deployment = vllm.object();
        deployment.getSpec().getTemplate().setMetadata(null);
        return cluster.client().getKubernetesSerialization().asYaml(deployment.getSpec());
    }

    private void showMistakes() throws IOException, InterruptedException {
        screen.step("Mistakes are refused, all at once, with what to write instead");
        List<String> wrong = List.of("plainsail.dev/devices=gpu.nvidia.com X4", "plainsail.dev/parallelism=tensr=2");
        screen.command("kubectl annotate deployment vllm --overwrite "
                + wrong.stream().map(Story::quoted).collect(Collectors.joining(" ")));
        List<String> command = new ArrayList<>(List.of("annotate", "deployment", "vllm", "--overwrite"));
        command.addAll(wrong);
        var refused = cluster.kubectl().tryRun("", command.toArray(String[]::new));
        check(refused.exitCode() != 0, "the mistakes were accepted");
        screen.line(refused.errors().strip());
        check(refused.errors().contains("X4") && refused.errors().contains("tensr"), "not every mistake is named");
        screen.proof("Mistakes", "both refused in one answer");
    }

    private void route(Gateway gateway) throws IOException, InterruptedException {
        screen.step("Requests through Envoy: the same prompt sticks, another may move");
        awaitRouted(gateway);
        Set<String> used = new LinkedHashSet<>();
        int stuck = 0;
        for (String topic : PROMPTS) {
            Set<String> served = new LinkedHashSet<>();
            List<String> times = new ArrayList<>();
            for (int i = 0; i < REPEATS; i++) {
                Gateway.Answer answer = gateway.chat(model, prompt(topic), 8, false);
                check(answer.status() == 200, "status " + answer.status() + ": " + answer.body());
                served.add(answer.servedBy());
                times.add(answer.took().toMillis() + " ms");
            }
            stuck += served.size() == 1 ? 1 : 0;
            used.addAll(served);
            screen.line(String.format(
                    Locale.ROOT, "%-8s x%d  served by %-28s %s", topic, REPEATS, served, String.join(", ", times)));
        }
        check(stuck == PROMPTS.size(), "only " + stuck + " of " + PROMPTS.size() + " prompts stuck to one replica");
        screen.proof("Stickiness", stuck + " of " + PROMPTS.size() + " prompts stayed on one replica");
        screen.proof("Spread", used.size() + " replicas used: " + String.join(" ", used));
        long spurious = gateway.counter("spurious_msgs_received");
        check(spurious == 0, "Envoy counted " + spurious + " spurious messages");
        screen.proof("Envoy's spurious_msgs_received", "0");
    }

    /** The picker learns of new endpoints within moments; a request before that gets an honest 503. */
    private void awaitRouted(Gateway gateway) throws IOException, InterruptedException {
        for (int i = 0; gateway.chat(model, "hello", 1, false).status() != 200; i++) {
            check(
                    i < 60,
                    "no request was served: "
                            + gateway.chat(model, "hello", 1, false).body());
            Thread.sleep(500);
        }
    }

    private void killPicker(Installation installation, Gateway gateway) throws IOException, InterruptedException {
        screen.step("Kill the picker with -9 while answers run");
        CompletableFuture<Gateway.Answer> streamed = gateway.startChat(model, prompt("rivers"), 400, true);
        CompletableFuture<Gateway.Answer> whole = gateway.startChat(model, prompt("deserts"), 400, false);
        Thread.sleep(700);
        check(!streamed.isDone() && !whole.isDone(), "the answers ended before the picker was killed");
        RunningContainer picker = RunningContainer.of(installation.pod("plainsail-epp"), "epp");
        screen.command("kill -9 " + picker.pid());
        picker.kill();
        Gateway.Answer stream = streamed.join();
        Gateway.Answer json = whole.join();
        check(stream.status() == 200 && stream.whole(), "the streamed answer was cut: " + stream.body());
        check(json.status() == 200 && json.whole(), "the answer was lost: " + json.body());
        screen.proof("Running answers", "both arrived whole, streamed and not");
        installation.awaitAvailable("plainsail-epp");
        awaitRouted(gateway);
        screen.line("the picker is back, requests flow");
    }

    /** Long enough for several blocks of the prefix index. */
    private static String prompt(String topic) {
        return ("Tell me all there is to know about " + topic + ", and do not leave out what others leave out. ")
                .repeat(30);
    }

    private static String words(RunningContainer container) {
        return String.join(" ", container.engineWords());
    }

    private static String name(Pod pod) {
        return pod.getMetadata().getName();
    }

    private static String quoted(String assignment) {
        int equals = assignment.indexOf('=');
        String value = assignment.substring(equals + 1);
        return assignment.substring(0, equals + 1) + (value.contains(" ") ? "'" + value + "'" : value);
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.1f s", Duration.ofNanos(nanos).toMillis() / 1000.0);
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new UserError("Not as told: " + otherwise);
        }
    }
}
