package dev.plainsail.webhook.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.dra.cel.DeviceExpressions;
import dev.plainsail.webhook.admission.AdmissionHandler.Mode;
import dev.plainsail.webhook.plan.ClusterView;
import dev.plainsail.webhook.plan.InjectionSettings;
import dev.plainsail.webhook.planner.ClusterDoubts;
import dev.plainsail.webhook.planner.Planners;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The wire format, byte for byte, and what happens to bad input and to our own mistakes. */
class AdmissionHandlerTest {

    private final List<Decision> decisions = new ArrayList<>();
    private final AdmissionHandler handler = new AdmissionHandler(
            InjectionSettings.defaults(),
            ClusterView.UNKNOWN,
            (kind, decision, nanos) -> decisions.add(decision),
            System::nanoTime);

    private static JsonNode pod(String annotation, String value) {
        return Reviews.JSON.readTree(
                "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"generateName\":\"engine-\","
                        + "\"annotations\":{\"" + annotation + "\":\"" + value
                        + "\"}},\"spec\":{\"containers\":[{\"name\":\"engine\","
                        + "\"image\":\"vllm/vllm-openai:v0.12.0\",\"args\":[\"--model\",\"m\"]}]}}");
    }

    private String answer(JsonNode object) {
        return new String(handler.handle(Reviews.request("u-1", object, Optional.empty())), StandardCharsets.UTF_8);
    }

    @Test
    void aDenialIsInvalidWithACauseAProblem() {
        assertThat(answer(pod("plainsail.dev/devices", "gpu.nvidia.com X2")))
                .isEqualTo(
                        "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"response\":{\"uid\":\"u-1\",\"allowed\":false,"
                                + "\"status\":{\"status\":\"Failure\",\"code\":422,\"reason\":\"Invalid\",\"message\":\"metadata.annotations[plainsail.dev/devices]:"
                                + " Invalid value: \\\"X2\\\": column 16: write the count as x2: a small x, no space, no other sign\",\"details\":{\"name\":\"engine-\",\"group\":\"\",\"kind\":\"Pod\","
                                + "\"causes\":[{\"reason\":\"FieldValueInvalid\",\"message\":\"Invalid value: \\\"X2\\\": column 16: write the count as x2: a small x, no space, no other sign\","
                                + "\"field\":\"metadata.annotations[plainsail.dev/devices]\"}]}},\"auditAnnotations\":{\"decision\":\"denied\",\"reason\":\"bad-devices\"}}}");
    }

    @Test
    void aPatchIsBase64WithItsTypeAndIsAudited() {
        JsonNode response =
                Reviews.JSON.readTree(answer(pod("plainsail.dev/pool", "p"))).path("response");
        assertThat(response.path("allowed").asBoolean()).isTrue();
        assertThat(response.path("patchType").asString("")).isEqualTo("JSONPatch");
        assertThat(response.path("auditAnnotations").toString())
                .matches("\\{\"decision\":\"patched\",\"reason\":\"patched\",\"plan\":\"[0-9a-f]{8}\"}");
        assertThat(Reviews.operations(
                                handler.handle(Reviews.request("u", pod("plainsail.dev/pool", "p"), Optional.empty())))
                        .toString())
                .isEqualTo(
                        "[{\"op\":\"add\",\"path\":\"/metadata/labels\",\"value\":{\"plainsail.dev/pool\":\"p\"}},"
                                + "{\"op\":\"add\",\"path\":\"/metadata/annotations/plainsail.dev~1plan\",\"value\":\"{\\\"container\\\":\\\"engine\\\",\\\"engine\\\":\\\"vllm\\\",\\\"labels\\\":[\\\"plainsail.dev/pool\\\"]}\"}]");
    }

    @Test
    void annotationsBeyondTheApiServersTotalAreRefusedByUs() {
        ObjectNode pod = (ObjectNode) pod("plainsail.dev/devices", "gpu.nvidia.com");
        ObjectNode annotations = (ObjectNode) pod.at("/metadata/annotations");
        annotations.put("example.com/notes", "x".repeat(256 * 1024 - 100));
        assertThat(answer(pod)).contains("Too long: with what Plainsail adds", "the API server takes 262144 at most");
        annotations.put("example.com/notes", "x".repeat(255 * 1024));
        assertThat(answer(pod)).contains("JSONPatch");
    }

    @Test
    void nothingToDoHasNeitherPatchNorType() {
        assertThat(answer(pod("example.com/x", "y")))
                .isEqualTo(
                        "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"response\":{\"uid\":\"u-1\",\"allowed\":true,"
                                + "\"auditAnnotations\":{\"decision\":\"unchanged\",\"reason\":\"not-annotated\"}}}");
    }

    @Test
    void whatIsNoReviewIsSaidInOneLine() {
        assertThat(refusal("")).isEqualTo("the body is empty; an AdmissionReview is expected");
        assertThat(refusal("nonsense")).startsWith("the body is not JSON: ").doesNotContain("\n");
        assertThat(refusal("{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}"))
                .isEqualTo("expected kind AdmissionReview of admission.k8s.io/v1, got kind \"Pod\" of \"v1\"");
        assertThat(refusal("{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1beta1\"}"))
                .isEqualTo(
                        "expected kind AdmissionReview of admission.k8s.io/v1, got kind \"AdmissionReview\" of \"admission.k8s.io/v1beta1\"");
        assertThat(refusal("{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\"}"))
                .isEqualTo("the AdmissionReview has no request.uid");
        assertThat(refusal("[".repeat(100_000))).startsWith("the body is not JSON: ");
    }

    private String refusal(String body) {
        try {
            handler.handle(body.getBytes(StandardCharsets.UTF_8));
            return "accepted";
        } catch (MalformedReviewException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void problemsStandInTheMessageMostImportantFirst() {
        ObjectNode object = (ObjectNode) pod("plainsail.dev/pool", "-");
        ((ObjectNode) object.path("metadata").path("annotations")).put("plainsail.dev/zzz", "1");
        String message = Reviews.JSON
                .readTree(answer(object))
                .path("response")
                .path("status")
                .path("message")
                .asString("");
        assertThat(message)
                .startsWith(
                        "2 problems: metadata.annotations[plainsail.dev/zzz]: Forbidden: there is no such annotation");
        assertThat(message).contains("; metadata.annotations[plainsail.dev/pool]: Invalid value");
    }

    @Test
    void warningsStayWithinWhatTheApiServerPassesOn() {
        ObjectNode object = (ObjectNode) pod("plainsail.dev/pool", "p");
        ObjectNode annotations = (ObjectNode) object.path("metadata").path("annotations");
        IntStream.range(0, 100).forEach(i -> annotations.put("plainsail.x" + i + ".dev/model", "\u0007"));
        JsonNode warnings =
                Reviews.JSON.readTree(answer(object)).path("response").path("warnings");
        String all = warnings.valueStream().map(warning -> warning.asString("")).collect(Collectors.joining());
        assertThat(all.length()).isLessThan(4096);
        assertThat(all).matches("\\P{Cntrl}*").endsWith(" more warnings");
    }

    @Test
    void ourMistakesLetWorkloadsPassAndStopPods() {
        AdmissionHandler failing = new AdmissionHandler(
                InjectionSettings.defaults(),
                new Planners(List.of((subject, problems) -> {
                    throw new IllegalStateException("planted");
                })),
                new ClusterDoubts(ClusterView.UNKNOWN, new DeviceExpressions(), System::nanoTime),
                (kind, decision, nanos) -> decisions.add(decision),
                System::nanoTime);
        String said =
                "Plainsail failed on this object (IllegalStateException), which is a mistake in Plainsail; its log says more";
        byte[] request = Reviews.request("u-1", pod("plainsail.dev/pool", "p"), Optional.empty());
        assertThat(new String(failing.handle(request), StandardCharsets.UTF_8))
                .isEqualTo(
                        "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"response\":{\"uid\":\"u-1\",\"allowed\":false,"
                                + "\"status\":{\"status\":\"Failure\",\"code\":500,\"reason\":\"InternalError\",\"message\":\""
                                + said
                                + "\"},\"auditAnnotations\":{\"decision\":\"failed\",\"reason\":\"failed\"}}}");
        JsonNode deployment = Reviews.JSON.readTree(
                "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"d\",\"annotations\":{\"plainsail.dev/pool\":\"p\"}},"
                        + "\"spec\":{\"template\":{\"spec\":{\"containers\":[]}}}}");
        JsonNode response = Reviews.response(failing.handle(Reviews.request("u-2", deployment, Optional.empty())));
        assertThat(response.path("allowed").asBoolean()).isTrue();
        assertThat(response.path("warnings").get(0).asString("")).isEqualTo(said);
        JsonNode observed = Reviews.response(failing.handle(request, Mode.OBSERVE, Duration.ofSeconds(1)));
        assertThat(observed.path("allowed").asBoolean()).isTrue();
    }

    @Test
    void theClusterIsNotLookedAtPastTheDeadline() {
        ClusterView.Snapshot snapshot = new ClusterView.Snapshot(
                List.of(
                        Reviews.JSON.readTree(
                                "{\"metadata\":{\"name\":\"gpu.nvidia.com\"},\"spec\":{\"selectors\":[{\"cel\":{\"expression\":\"true\"}}]}}")),
                List.of(
                        Reviews.JSON.readTree(
                                "{\"spec\":{\"driver\":\"d\",\"pool\":{\"name\":\"p\",\"resourceSliceCount\":1},\"devices\":[{\"name\":\"a\"}]}}")),
                List.of(),
                List.of());
        AdmissionHandler looking = new AdmissionHandler(
                InjectionSettings.defaults(), () -> Optional.of(snapshot), AdmissionRecorder.NONE, System::nanoTime);
        JsonNode deployment = Reviews.JSON.readTree(
                "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"d\",\"annotations\":{\"plainsail.dev/devices\":\"gpu.nvidia.com where false\"}},"
                        + "\"spec\":{\"strategy\":{\"type\":\"Recreate\"},\"template\":{\"spec\":{\"containers\":[{\"name\":\"e\",\"image\":\"vllm/vllm-openai:v1\"}]}}}}");
        byte[] request = Reviews.request("u", deployment, Optional.empty());
        assertThat(Reviews.response(looking.handle(request, Mode.MUTATE, Duration.ofMinutes(1)))
                        .path("warnings"))
                .hasSize(1);
        assertThat(Reviews.response(looking.handle(request, Mode.MUTATE, Duration.ZERO))
                        .path("warnings"))
                .isEmpty();
    }
}
