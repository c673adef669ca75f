package dev.plainsail.webhook.admission;

import dev.plainsail.webhook.workload.Trees;
import dev.plainsail.webhook.workload.WorkloadKind;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An {@code admission.k8s.io/v1} request, over the raw tree.
 *
 * @param kind empty for kinds that we do not know
 * @param oldObject missing on CREATE
 */
record Review(
        String uid,
        Optional<WorkloadKind> kind,
        String kindName,
        String group,
        String operation,
        String subResource,
        String namespace,
        String name,
        boolean isDryRun,
        JsonNode object,
        JsonNode oldObject) {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    static Review parse(byte[] body) {
        if (body.length == 0) {
            throw new MalformedReviewException("the body is empty; an AdmissionReview is expected");
        }
        JsonNode tree;
        try {
            tree = MAPPER.readTree(body);
        } catch (JacksonException e) {
            throw new MalformedReviewException("the body is not JSON: " + e.getOriginalMessage(), e);
        }
        String version = Trees.text(tree, "apiVersion");
        String kind = Trees.text(tree, "kind");
        if (!version.equals("admission.k8s.io/v1") || !kind.equals("AdmissionReview")) {
            throw new MalformedReviewException("expected kind AdmissionReview of admission.k8s.io/v1, got kind \""
                    + kind + "\" of \"" + version + "\"");
        }
        JsonNode request = tree.path("request");
        String uid = Trees.text(request, "uid");
        if (uid.isEmpty()) {
            throw new MalformedReviewException("the AdmissionReview has no request.uid");
        }
        JsonNode object = request.path("object");
        String group = Trees.text(request.path("kind"), "group");
        String kindName = Trees.text(request.path("kind"), "kind");
        JsonNode metadata = object.path("metadata");
        String name = Trees.text(request, "name");
        if (name.isEmpty()) {
            name = Trees.text(metadata, "name");
        }
        if (name.isEmpty()) {
            name = Trees.text(metadata, "generateName");
        }
        return new Review(
                uid,
                WorkloadKind.of(group, kindName),
                kindName,
                group,
                Trees.text(request, "operation"),
                Trees.text(request, "subResource"),
                Trees.text(request, "namespace"),
                name,
                request.path("dryRun").asBoolean(false),
                object,
                request.path("oldObject"));
    }

    boolean isCreate() {
        return operation.equals("CREATE");
    }

    boolean isUpdate() {
        return operation.equals("UPDATE");
    }
}
