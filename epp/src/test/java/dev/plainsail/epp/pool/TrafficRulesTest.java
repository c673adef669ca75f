package dev.plainsail.epp.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.epp.pool.TrafficRules.Rewrite;
import dev.plainsail.epp.pool.TrafficRules.Target;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TrafficRulesTest {
    private static final KubernetesSerialization YAML = new KubernetesSerialization();

    @Test
    void exactBeatsGenericThenTheOldestThenTheOrder() {
        TrafficRules rules = new TrafficRules(
                Map.of(),
                List.of(
                        rewrite("2026-03", 0, List.of(), "generic"),
                        rewrite("2026-02", 1, List.of("m"), "second"),
                        rewrite("2026-02", 0, List.of("m"), "first"),
                        rewrite("2026-04", 0, List.of("m"), "young")));
        assertThat(rules.rewritten("p", "m", 0)).isEqualTo("first");
        assertThat(rules.rewritten("p", "other", 0)).isEqualTo("generic");
        assertThat(rules.rewritten("p", null, 0)).isEqualTo("generic");
        assertThat(rules.rewritten("q", "m", 0)).isNull();
        assertThat(rules.poolOf("m")).isEqualTo("p");
    }

    @Test
    void targetsShareByWeightAndUnweightedOnesGetNothingBesideWeighted() {
        Rewrite mixed = new Rewrite(
                "p", "1", 0, List.of(), List.of(new Target("a", 1), new Target("none", 0), new Target("b", 3)));
        TrafficRules rules = new TrafficRules(Map.of(), List.of(mixed));
        int a = 0;
        for (int i = 0; i < 1000; i++) {
            String model = rules.rewritten("p", "m", i / 1000.0);
            assertThat(model).isIn("a", "b");
            a += "a".equals(model) ? 1 : 0;
        }
        assertThat(a).isEqualTo(250);
        TrafficRules even = new TrafficRules(
                Map.of(),
                List.of(new Rewrite("p", "1", 0, List.of(), List.of(new Target("a", 0), new Target("b", 0)))));
        assertThat(even.rewritten("p", "m", 0.4)).isEqualTo("a");
        assertThat(even.rewritten("p", "m", 0.9)).isEqualTo("b");
    }

    @Test
    void poolsOfBothGroupsAreRead() {
        assertThat(InferenceResources.pool(resource("""
                        apiVersion: inference.networking.k8s.io/v1
                        kind: InferencePool
                        metadata: {name: chat, namespace: ml}
                        spec:
                          selector: {matchLabels: {app: vllm, tier: gpu}}
                          targetPorts: [{number: 8000}, {number: 8001}]
                        """)))
                .isEqualTo(new PoolSelector("chat", "ml", "app=vllm,tier=gpu", List.of(8000, 8001)));
        assertThat(InferenceResources.pool(resource("""
                        apiVersion: inference.networking.x-k8s.io/v1alpha2
                        kind: InferencePool
                        metadata: {name: chat, namespace: ml}
                        spec:
                          selector: {app: vllm}
                          targetPortNumber: 8200
                        """)))
                .isEqualTo(new PoolSelector("chat", "ml", "app=vllm", List.of(8200)));
    }

    @Test
    void objectivesAndRewritesAreRead() {
        assertThat(InferenceResources.objective(resource("""
                        metadata: {name: batch}
                        spec: {priority: -10, poolRef: {name: chat}}
                        """))).isEqualTo(Map.entry("batch", -10));
        assertThat(InferenceResources.objective(resource("metadata: {name: plain}\nspec: {}")))
                .isEqualTo(Map.entry("plain", 0));
        assertThat(InferenceResources.rewrites(resource("""
                        metadata: {name: r, creationTimestamp: "2026-01-01T00:00:00Z"}
                        spec:
                          poolRef: {name: chat}
                          rules:
                          - matches: [{model: {type: Exact, value: public}}]
                            targets: [{modelRewrite: internal, weight: 2}]
                          - targets: [{modelRewrite: other}]
                        """)))
                .containsExactly(
                        new Rewrite(
                                "chat",
                                "2026-01-01T00:00:00Z",
                                0,
                                List.of("public"),
                                List.of(new Target("internal", 2))),
                        new Rewrite("chat", "2026-01-01T00:00:00Z", 1, List.of(), List.of(new Target("other", 0))));
    }

    private static Rewrite rewrite(String created, int order, List<String> models, String target) {
        return new Rewrite("p", created, order, models, List.of(new Target(target, 1)));
    }

    private static GenericKubernetesResource resource(String yaml) {
        return YAML.unmarshal(yaml, GenericKubernetesResource.class);
    }
}
