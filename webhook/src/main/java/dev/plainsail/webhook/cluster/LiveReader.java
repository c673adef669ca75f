package dev.plainsail.webhook.cluster;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Lists of objects as the API's own JSON, page by page, so that no list of a large cluster is ever whole in memory. */
final class LiveReader {

    private static final JsonMapper JSON = JsonMapper.shared();
    /** A list goes on from a moment in the past, which the API server forgets after some minutes. */
    private static final int ATTEMPTS = 3;

    /** A kind of object, as its URL names it; {@code group} is empty for the core group. */
    record Resource(String group, String version, String plural) {

        static final Resource PODS = new Resource("", "v1", "pods");
        static final Resource REPLICA_SETS = new Resource("apps", "v1", "replicasets");
        static final Resource REVISIONS = new Resource("apps", "v1", "controllerrevisions");
        static final Resource JOBS = new Resource("batch", "v1", "jobs");

        /** As RBAC and kubectl write it. */
        String title() {
            return group.isEmpty() ? plural : plural + "." + group;
        }

        String path(Optional<String> namespace) {
            String root = group.isEmpty() ? "/api/" + version : "/apis/" + group + "/" + version;
            return root + namespace.map(name -> "/namespaces/" + encoded(name)).orElse("") + "/" + plural;
        }
    }

    /** The right that is missing, in words. */
    static final class ForbiddenException extends Exception {
        ForbiddenException(String message) {
            super(message);
        }
    }

    private final KubernetesClient client;
    private final int pageSize;

    LiveReader(KubernetesClient client, int pageSize) {
        this.client = client;
        this.pageSize = pageSize;
    }

    /** The API's answer, or empty if it does not serve this path. */
    Optional<JsonNode> get(String path) throws ClusterProblemException {
        try {
            return Optional.ofNullable(client.raw(path)).map(JSON::readTree);
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return Optional.empty();
            }
            throw problem(e);
        }
    }

    /**
     * @param namespace empty for all of them
     * @param labels a label selector as in URLs; empty for everything
     * @param wanted what is kept
     */
    List<JsonNode> list(Resource resource, Optional<String> namespace, String labels, Predicate<JsonNode> wanted)
            throws ClusterProblemException, ForbiddenException {
        for (int attempt = 1; ; attempt++) {
            try {
                return pages(resource.path(namespace), labels, wanted);
            } catch (KubernetesClientException e) {
                if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
                    throw new ForbiddenException("may not list " + resource.title()
                            + namespace.map(name -> " in namespace " + name).orElse(" in all namespaces"));
                }
                if (e.getCode() != HttpURLConnection.HTTP_GONE || attempt == ATTEMPTS) {
                    throw problem(e);
                }
            }
        }
    }

    private List<JsonNode> pages(String path, String labels, Predicate<JsonNode> wanted) {
        List<JsonNode> result = new ArrayList<>();
        String next = "";
        do {
            String query = "?limit=" + pageSize
                    + (labels.isEmpty() ? "" : "&labelSelector=" + encoded(labels))
                    + (next.isEmpty() ? "" : "&continue=" + encoded(next));
            @Nullable String answer = client.raw(path + query);
            JsonNode page = JSON.readTree(answer == null ? "{}" : answer);
            page.path("items").valueStream().filter(wanted).forEach(result::add);
            next = page.path("metadata").path("continue").asString("");
        } while (!next.isEmpty());
        return result;
    }

    private ClusterProblemException problem(KubernetesClientException e) {
        String server = String.valueOf(client.getMasterUrl());
        if (e.getCode() <= 0) {
            return new ClusterProblemException("the API server at " + server + " does not answer: " + Cluster.said(e));
        }
        return new ClusterProblemException(
                switch (e.getCode()) {
                    case HttpURLConnection.HTTP_UNAUTHORIZED ->
                        "the API server at " + server + " does not know these credentials: " + Cluster.said(e);
                    default -> "the API server at " + server + " answers " + e.getCode() + ": " + Cluster.said(e);
                });
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
