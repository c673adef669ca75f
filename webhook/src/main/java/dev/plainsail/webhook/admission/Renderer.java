package dev.plainsail.webhook.admission;

import dev.plainsail.dra.ClaimTemplate;
import dev.plainsail.dra.DeviceClaim;
import dev.plainsail.dra.DeviceClaimText;
import dev.plainsail.dra.ParsedClaim;
import dev.plainsail.dra.cel.DeviceExpressions;
import dev.plainsail.webhook.patch.PatchWriter;
import dev.plainsail.webhook.patch.PodPatch;
import dev.plainsail.webhook.plan.Annotations;
import dev.plainsail.webhook.plan.ClusterView;
import dev.plainsail.webhook.plan.InjectionSettings;
import dev.plainsail.webhook.plan.PodPlan;
import dev.plainsail.webhook.plan.Problem;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.SubjectReader;
import dev.plainsail.webhook.plan.Warning;
import dev.plainsail.webhook.plan.Written;
import dev.plainsail.webhook.planner.ClusterDoubts;
import dev.plainsail.webhook.planner.Planners;
import dev.plainsail.webhook.workload.PodTemplate;
import dev.plainsail.webhook.workload.PodView;
import dev.plainsail.webhook.workload.Trees;
import dev.plainsail.webhook.workload.WorkloadKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What admission would make of an object on a disk, without a cluster: a pod as it would start, a workload with its template
 * as its pods would start. Judges exactly as the webhook with the same settings does. Any thread.
 */
public final class Renderer {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String DEFAULT_NAMESPACE = "default";

    private final InjectionSettings settings;
    private final Planners planners;
    private final PodAdmission pods;
    private final WorkloadAdmission workloads;

    /**
     * @param object as it would be; the input itself if there are problems
     * @param operations RFC 6902, from the input to the object; not to be written to
     * @param templates the claim templates that its pods need, which the controller would make
     */
    public record Rendered(
            JsonNode object,
            ArrayNode operations,
            List<Problem> problems,
            List<Warning> warnings,
            List<ObjectNode> templates) {
        public Rendered {
            problems = List.copyOf(problems);
            warnings = List.copyOf(warnings);
            templates = List.copyOf(templates);
        }
    }

    public Renderer(InjectionSettings settings) {
        DeviceExpressions expressions = new DeviceExpressions();
        this.settings = settings;
        this.planners = new Planners(expressions);
        this.pods = new PodAdmission(settings, planners);
        this.workloads = new WorkloadAdmission(
                settings, planners, new ClusterDoubts(ClusterView.UNKNOWN, expressions, System::nanoTime));
    }

    /** Objects of other kinds, and those without annotations of ours, come back as they are. */
    public Rendered render(JsonNode object) {
        String version = Trees.text(object, "apiVersion");
        String group = version.contains("/") ? version.substring(0, version.indexOf('/')) : "";
        Optional<WorkloadKind> kind = WorkloadKind.of(group, Trees.text(object, "kind"));
        if (kind.isEmpty()) {
            return new Rendered(object, NODES.arrayNode(), List.of(), List.of(), List.of());
        }
        Review review = review(object, kind.get());
        Decision decision = kind.get() == WorkloadKind.POD
                ? pods.decide(review)
                : workloads.decide(review, kind.get(), Long.MAX_VALUE);
        if (decision instanceof Decision.Denied(List<Problem> problems, List<Warning> warnings)) {
            return new Rendered(object, NODES.arrayNode(), problems, warnings, List.of());
        }
        Map<String, ObjectNode> templates = new LinkedHashMap<>();
        ArrayNode operations = NODES.arrayNode();
        JsonNode result = kind.get() == WorkloadKind.POD
                ? pod(object, review.namespace(), operations, templates)
                : workload(object, kind.get(), review.namespace(), operations, templates);
        return new Rendered(result, operations, List.of(), decision.warnings(), List.copyOf(templates.values()));
    }

    private static Review review(JsonNode object, WorkloadKind kind) {
        JsonNode metadata = object.path("metadata");
        String namespace = Trees.text(metadata, "namespace");
        return new Review(
                "render",
                Optional.of(kind),
                kind.kind(),
                kind.group(),
                "CREATE",
                "",
                namespace.isEmpty() ? DEFAULT_NAMESPACE : namespace,
                Trees.text(metadata, "name"),
                true,
                object,
                object.path("nothing"));
    }

    private JsonNode pod(JsonNode object, String namespace, ArrayNode operations, Map<String, ObjectNode> templates) {
        PodView pod = PodView.ofPod(object);
        if (PodAdmission.isSwitchedOff(pod.annotations()) || !PodAdmission.asks(pod.annotations())) {
            return object;
        }
        PodPlan plan = plan(pod, Copying.written(pod.annotations(), Set.of(), ""));
        PodPatch patch = PodPatch.of(object, plan);
        operations.addAll(patch.operations());
        note(patch.result(), namespace, templates);
        return patch.result();
    }

    private PodPlan plan(PodView view, Map<String, Written> written) {
        Problems problems = new Problems("");
        return planners.plan(SubjectReader.read(view, written, settings, problems), problems);
    }

    /** Adds the claim template that a pod names. */
    private static void note(JsonNode pod, String namespace, Map<String, ObjectNode> templates) {
        String text = Trees.text(pod.path("metadata").path("annotations"), Annotations.CLAIM_SPEC);
        if (DeviceClaimText.parseCanonical(text) instanceof ParsedClaim.Accepted(DeviceClaim claim, boolean ignored)) {
            templates.put(claim.templateName(), ClaimTemplate.manifest(claim, namespace));
        }
    }

    private JsonNode workload(
            JsonNode object,
            WorkloadKind kind,
            String namespace,
            ArrayNode operations,
            Map<String, ObjectNode> templates) {
        Map<String, String> metadata = Trees.textMap(object.path("metadata").path("annotations"));
        JsonNode result = object;
        for (PodTemplate template : kind.templates(object)) {
            Copying copying = Copying.of(metadata, template);
            PatchWriter writer = new PatchWriter(result);
            WorkloadAdmission.write(writer, template, copying);
            operations.addAll(writer.operations());
            boolean isForOneRole = template.position().index().isPresent();
            if (!copying.written().isEmpty() && !PodAdmission.isSwitchedOff(copying.annotations()) && isForOneRole) {
                JsonNode pod = writer.at(template.path());
                PodPlan plan = plan(
                        PodView.ofTemplate(template, copying.annotations(), template.position()), copying.written());
                PodPatch patch = PodPatch.of(pod, plan);
                prefixed(patch.operations(), template).forEach(operations::add);
                note(patch.result(), namespace, templates);
                writer.put(template.path(), patch.result());
            }
            result = writer.result();
        }
        return result;
    }

    /** Operations on a pod as operations on the workload whose template it is. */
    private static List<JsonNode> prefixed(ArrayNode operations, PodTemplate template) {
        String prefix = "/" + String.join("/", template.path());
        List<JsonNode> result = new ArrayList<>();
        operations.forEach(operation -> {
            ObjectNode copy = (ObjectNode) operation.deepCopy();
            copy.put("path", prefix + operation.path("path").asString(""));
            result.add(copy);
        });
        return result;
    }
}
