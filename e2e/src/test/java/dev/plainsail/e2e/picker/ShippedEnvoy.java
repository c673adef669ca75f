package dev.plainsail.e2e.picker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The Envoy configuration that we ship, with only its addresses changed; and the modes that other gateways use instead. */
final class ShippedEnvoy {
    private static final YAMLMapper YAML = new YAMLMapper();

    private ShippedEnvoy() {}

    static JsonNode read(int pickerPort, boolean tls) throws IOException {
        JsonNode root = YAML.readTree(Files.readString(manifests().resolve("envoy/standalone/envoy.yaml")));
        ((ObjectNode) root)
                .putObject("admin")
                .putObject("address")
                .putObject("socket_address")
                .put("address", "127.0.0.1")
                .put("port_value", 0);
        for (JsonNode listener : root.at("/static_resources/listeners")) {
            ((ObjectNode) listener.at("/address/socket_address"))
                    .put("address", "127.0.0.1")
                    .put("port_value", 0);
        }
        ObjectNode picker = cluster(root, "picker");
        picker.put("type", "STATIC");
        picker.remove("dns_lookup_family");
        ((ObjectNode) picker.at("/load_assignment/endpoints/0/lb_endpoints/0/endpoint/address/socket_address"))
                .put("address", "127.0.0.1")
                .put("port_value", pickerPort);
        if (!tls) {
            picker.remove("transport_socket");
        }
        return root;
    }

    static ObjectNode cluster(JsonNode root, String name) {
        for (JsonNode cluster : root.at("/static_resources/clusters")) {
            if (cluster.path("name").asString().equals(name)) {
                return (ObjectNode) cluster;
            }
        }
        throw new IllegalStateException("no cluster " + name);
    }

    static ObjectNode extProc(JsonNode root) {
        return (ObjectNode) root.at(
                "/static_resources/listeners/0/filter_chains/0/filters/0/typed_config/http_filters/0/typed_config");
    }

    /** Sets the processing mode of a gateway that works differently. */
    static void mode(JsonNode root, String request, String responseHeaders, String response, String trailers) {
        ((ObjectNode) extProc(root).path("processing_mode"))
                .put("request_body_mode", request)
                .put("request_trailer_mode", trailers)
                .put("response_header_mode", responseHeaders)
                .put("response_body_mode", response)
                .put("response_trailer_mode", trailers);
    }

    static String text(JsonNode root) {
        return YAML.writeValueAsString(root);
    }

    private static Path manifests() {
        for (Path here = Path.of("").toAbsolutePath(); here != null; here = here.getParent()) {
            if (Files.isDirectory(here.resolve("manifests/envoy"))) {
                return here.resolve("manifests");
            }
        }
        throw new IllegalStateException("run from inside the repository");
    }
}
