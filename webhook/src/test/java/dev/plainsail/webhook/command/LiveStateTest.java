package dev.plainsail.webhook.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.webhook.admission.Forecast;
import dev.plainsail.webhook.admission.Renderer;
import dev.plainsail.webhook.command.LiveState.Verdict;
import dev.plainsail.webhook.plan.InjectionSettings;
import dev.plainsail.webhook.workload.WorkloadKind;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A workload and its pods as an API server has them: what the next pod would differ in, and what it would not. */
class LiveStateTest {

    private static final String POD = """
            apiVersion: v1
            kind: Pod
            metadata:
              name: qwen-1
              namespace: team-a
              annotations:
                plainsail.dev/devices: gpu.nvidia.com x2
                plainsail.dev/parallelism: tensor=2
                plainsail.dev/fill: shm probes grace
                plainsail.dev/pool: qwen
            spec:
              terminationGracePeriodSeconds: 30
              containers:
              - name: engine
                image: vllm/vllm-openai:v0.12.0
                args: [--model, m]
                resources: {limits: {memory: 64Gi}}
            """;

    private final Forecast forecast = new Forecast(InjectionSettings.defaults());

    private static ObjectNode tree(String yaml) {
        return (ObjectNode)
                Manifests.read(yaml.getBytes(StandardCharsets.UTF_8)).getFirst();
    }

    private static ObjectNode deployment(String pod) {
        ObjectNode template = tree(pod);
        ObjectNode metadata = template.withObject("/metadata");
        metadata.remove(List.of("name", "namespace"));
        template.remove(List.of("apiVersion", "kind"));
        ObjectNode deployment =
                tree("{apiVersion: apps/v1, kind: Deployment, metadata: {name: qwen, namespace: team-a}}");
        deployment.withObject("/spec").set("template", template);
        return deployment;
    }

    /** As it came out of admission. */
    private static ObjectNode admitted(String pod) {
        return (ObjectNode)
                new Renderer(InjectionSettings.defaults()).render(tree(pod)).object();
    }

    private LiveState state(ObjectNode deployment, JsonNode... pods) {
        return LiveState.of(forecast, WorkloadKind.DEPLOYMENT, deployment, List.of(pods));
    }

    private static String table(LiveState state) {
        StringWriter text = new StringWriter();
        LiveReport.table(new PrintWriter(text), List.of(state));
        return text.toString();
    }

    @Test
    void whatOthersAddToAPodIsNoDifference() {
        ObjectNode pod = admitted(POD);
        ObjectNode spec = pod.withObject("/spec");
        spec.put("nodeName", "node-1").put("schedulerName", "default-scheduler");
        ArrayNode containers = (ArrayNode) spec.path("containers");
        ObjectNode engine = (ObjectNode) containers.get(0);
        engine.put("imagePullPolicy", "Always").put("image", "mirror.example/vllm/vllm-openai:v0.12.0");
        engine.withArray("/env").insertObject(0).put("name", "FROM_A_MESH").put("value", "1");
        engine.withArray("/volumeMounts").addObject().put("name", "token").put("mountPath", "/var/run/secrets");
        engine.withObject("/startupProbe").put("successThreshold", 1);
        containers.insertObject(0).put("name", "proxy").put("image", "mesh");
        spec.withArray("/resourceClaims").insertObject(0).put("name", "other").put("resourceClaimName", "c");
        pod.withObject("/metadata/labels").put("pod-template-hash", "abc");
        assertThat(state(deployment(POD), pod))
                .isEqualTo(new LiveState(
                        WorkloadKind.DEPLOYMENT, "team-a", "qwen", Verdict.SAME, 1, 0, List.of(), List.of()));
    }

    @Test
    void everyInjectedPartThatDiffersIsNamedWithoutItsNeighbours() {
        ObjectNode pod = admitted(POD.replace("gpu.nvidia.com x2", "gpu.nvidia.com x4")
                .replace("tensor=2", "tensor=4")
                .replace("pool: qwen", "pool: other"));
        pod.withObject("/spec").put("terminationGracePeriodSeconds", 77);
        LiveState state = state(deployment(POD), pod);
        assertThat(state.verdict()).isEqualTo(Verdict.DIFFERS);
        assertThat(table(state))
                .startsWith("NAMESPACE   WORKLOAD          PODS   NEXT POD       WHAT\n"
                        + "team-a      deployment/qwen   1      would differ   claim: plainsail-gpu-nvidia-com-")
                .contains(" args: -4 +2\n", " fill: terminationGracePeriodSeconds\n", " labels: plainsail.dev/pool\n");
    }

    @Test
    void whatWasInjectedOnceAndWouldNotBeAgainIsADifference() {
        ObjectNode pod = admitted(POD);
        String bare = POD.replaceAll("    plainsail.dev/(devices|parallelism|fill).*\n", "");
        assertThat(table(state(deployment(bare), pod)))
                .contains("claim: -plainsail\n")
                .contains("args: ---tensor-parallel-size\n")
                .contains("fill: -shm -startupProbe -readinessProbe -grace");
    }

    @Test
    void podFromBeforePlainsailLacksEverything() {
        ObjectNode pod = tree(POD);
        LiveState state = state(deployment(POD), pod, admitted(POD));
        assertThat(state.verdict()).isEqualTo(Verdict.DIFFERS);
        assertThat(table(state)).contains("claim: none -> plainsail-gpu-nvidia-com-", "in 1 of 2 pods");
    }

    @Test
    void convertedLimitThatIsStillThereIsADifference() {
        String limited = POD.replace("memory: 64Gi", "memory: 64Gi, nvidia.com/gpu: 2");
        assertThat(state(deployment(limited), admitted(limited)).verdict()).isEqualTo(Verdict.SAME);
        ObjectNode pod = admitted(limited);
        pod.withObject("/spec/containers/0/resources/limits").put("nvidia.com/gpu", 2);
        assertThat(table(state(deployment(limited), pod))).contains("limits: -nvidia.com/gpu");
    }

    @Test
    void mistakesAreSaidWhetherThereArePodsOrNot() {
        LiveState state = state(deployment(POD.replace("tensor=2", "tenser=2")));
        assertThat(state.verdict()).isEqualTo(Verdict.REFUSED);
        assertThat(table(state))
                .contains("would be refused   spec.template.metadata.annotations[plainsail.dev/parallelism]: ");
    }

    @Test
    void withoutPodsThereIsNothingToDifferFrom() {
        assertThat(state(deployment(POD)).verdict()).isEqualTo(Verdict.NO_POD);
    }

    @Test
    void annotationsThatTheNextWriteCopiesMakeNewPods() {
        String plain = POD.replaceAll("    plainsail.dev/pool.*\n", "");
        ObjectNode deployment = deployment(plain);
        deployment.withObject("/metadata/annotations").put("plainsail.dev/pool", "qwen");
        assertThat(table(state(deployment, admitted(plain))))
                .contains(
                        " labels: +plainsail.dev/pool\n", " annotations: +plainsail.dev/pool +plainsail.dev/copied\n");
    }

    @Test
    void workersAreComparedWithTheirOwnRank() {
        ObjectNode group = tree("""
                apiVersion: leaderworkerset.x-k8s.io/v1
                kind: LeaderWorkerSet
                metadata: {name: big, namespace: team-a}
                spec:
                  leaderWorkerTemplate:
                    size: 4
                """);
        ObjectNode template = (ObjectNode) deployment(POD.replace("tensor=2", "tensor=2, pipeline=4"))
                .path("spec")
                .path("template");
        group.withObject("/spec/leaderWorkerTemplate").set("workerTemplate", template);
        String worker = POD.replace("tensor=2", "tensor=2, pipeline=4").replace("  annotations:\n", """
                          labels: {leaderworkerset.sigs.k8s.io/name: big, leaderworkerset.sigs.k8s.io/worker-index: "3"}
                          annotations:
                            leaderworkerset.sigs.k8s.io/size: "4"
                        """.indent(0));
        JsonNode pod = admitted(worker);
        assertThat(pod.toString()).contains("--node-rank");
        LiveState state = LiveState.of(forecast, WorkloadKind.LEADER_WORKER_SET, group, List.of(pod));
        assertThat(table(state)).contains("leaderworkerset/big   1      same\n");
    }
}
