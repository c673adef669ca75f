package dev.plainsail.webhook.admission;

import dev.plainsail.webhook.plan.ClusterView;
import dev.plainsail.webhook.plan.InjectionSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reviews of our own, decided before the webhook says that it is ready. The first review loads some thousand classes, CEL's
 * above all: seconds on a busy node, and the API server waits for five in all. Nothing is counted or logged.
 */
public final class WarmUp {
    private static final Duration BUDGET = Duration.ofSeconds(30);
    private static final int ROUNDS = 20;

    private static final String METADATA = """
            "metadata":{"name":"warm-up","annotations":{"plainsail.dev/devices":"gpu=warm.example.com x2 where \
            device.capacity[\\"warm.example.com\\"].memory.isGreaterThan(quantity(\\"40Gi\\"))",
             "plainsail.dev/parallelism":"tensor=2","plainsail.dev/pool":"warm-up"}}""";

    private static final String REVIEW = """
            {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"warm-up","operation":"CREATE",
             "namespace":"warm-up","name":"warm-up","kind":{"group":"%s","version":"v1","kind":"%s"},
             "resource":{"group":"%s","version":"v1","resource":"%s"},"object":%s}}""";

    private static final String SPEC = """
            "spec":{"containers":[{"name":"vllm","image":"vllm/vllm-openai:v0","command":["vllm","serve","m"]}]}""";

    private static final String SLICE = """
            {"spec":{"driver":"warm.example.com","nodeName":"n","pool":{"name":"n","generation":1,"resourceSliceCount":1},
             "devices":[{"name":"d","attributes":{"a":{"string":"b"}},"capacity":{"memory":{"value":"80Gi"}}}]}}""";

    private static final String CLASS = """
            {"metadata":{"name":"warm.example.com"},
             "spec":{"selectors":[{"cel":{"expression":"device.driver == \\"warm.example.com\\""}}]}}""";

    private WarmUp() {}

    /** Takes a second or two of processor time; called once, before the first review is taken. */
    public static void run(InjectionSettings settings, LongSupplier nanoTime) {
        String pod = REVIEW.formatted("", "Pod", "", "pods", "{" + METADATA + "," + SPEC + "}");
        String deployment = REVIEW.formatted(
                "apps",
                "Deployment",
                "apps",
                "deployments",
                "{" + METADATA + ",\"spec\":{\"replicas\":2,\"template\":{\"metadata\":{}," + SPEC + "}}}");
        ClusterView cluster = () ->
                Optional.of(new ClusterView.Snapshot(List.of(json(CLASS)), List.of(json(SLICE)), List.of(), List.of()));
        AdmissionHandler handler = new AdmissionHandler(settings, cluster, AdmissionRecorder.NONE, nanoTime);
        for (int round = 0; round < ROUNDS; round++) {
            for (String text : List.of(pod, deployment)) {
                Review review = Review.parse(text.getBytes(StandardCharsets.UTF_8));
                Decision decision = handler.decide(review, nanoTime.getAsLong() + BUDGET.toNanos());
                if (!(decision instanceof Decision.Patched)) {
                    throw new IllegalStateException("the warm-up's own " + text + " gave " + decision);
                }
                byte[] _ = Answer.bytes(review, decision);
            }
        }
    }

    private static JsonNode json(String text) {
        return JsonMapper.shared().readTree(text);
    }
}
