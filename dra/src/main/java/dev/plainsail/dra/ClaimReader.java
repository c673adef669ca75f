package dev.plainsail.dra;

import dev.plainsail.dra.DeviceSelection.Allocation;
import dev.plainsail.dra.DeviceSelection.Toleration;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The {@code devices} object of a v1 ResourceClaim, as a tree, to a {@link DeviceClaim}: field names, types, bounds,
 * names and cross references are checked as the API server checks them. One use, one thread.
 */
final class ClaimReader {

    private static final List<String> DEVICES = List.of("requests", "constraints", "config");
    private static final List<String> REQUEST = List.of("name", "exactly", "firstAvailable");
    private static final List<String> SELECTION =
            List.of("deviceClassName", "selectors", "allocationMode", "count", "tolerations", "capacity");
    private static final List<String> TOLERATION = List.of("key", "operator", "value", "effect", "tolerationSeconds");
    private static final String ADMIN =
            "is not given through an annotation; write a ResourceClaimTemplate and use `plainsail.dev/claim: template/NAME`";
    private static final int CEL_BYTES = 10 * 1024;
    private static final int PARAMETER_BYTES = 10 * 1024;
    private static final int ALTERNATIVES = 8;
    private static final int TOLERATIONS = 16;

    private final List<ClaimProblem> problems = new ArrayList<>();
    /** Every name that a constraint or a configuration may refer to. */
    private final Set<String> names = new HashSet<>();

    ParsedClaim read(JsonNode tree) {
        List<DeviceRequest> requests = new ArrayList<>();
        List<DeviceConstraint> constraints = new ArrayList<>();
        List<DeviceConfig> config = new ArrayList<>();
        Fields.of(tree, "", problems, DEVICES).ifPresent(devices -> {
            if (!devices.has("requests")) {
                devices.refuse("requests", "", "is missing; write at least one request");
            }
            List<Fields.Element> elements = devices.list("requests", DeviceClaim.LIMIT);
            if (devices.has("requests") && devices.object().get("requests").isArray() && elements.isEmpty()) {
                devices.refuse("requests", "", "is empty; write at least one request");
            }
            elements.forEach(element -> request(element).ifPresent(requests::add));
            devices.list("constraints", DeviceClaim.LIMIT)
                    .forEach(element -> constraint(element).ifPresent(constraints::add));
            devices.list("config", DeviceClaim.LIMIT)
                    .forEach(element -> config(element).ifPresent(config::add));
        });
        if (problems.isEmpty()) {
            ClaimLimits.deviceTotal(requests).ifPresent(problems::add);
        }
        return problems.isEmpty()
                ? new ParsedClaim.Accepted(new DeviceClaim(requests, constraints, config), false)
                : new ParsedClaim.Refused(problems);
    }

    private Optional<DeviceRequest> request(Fields.Element element) {
        if (element.node() instanceof ObjectNode object && isFlat(object)) {
            problems.add(new ClaimProblem(
                    element.path(), "", "is in the old v1beta1 form; v1 wants: " + exactlyForm(object)));
            return Optional.empty();
        }
        Optional<Fields> read = Fields.of(element.node(), element.path(), problems, REQUEST);
        if (read.isEmpty()) {
            return Optional.empty();
        }
        Fields request = read.get();
        String name = name(request, names, "");
        boolean exactly = request.has("exactly");
        boolean firstAvailable = request.has("firstAvailable");
        if (exactly == firstAvailable) {
            request.refuse(
                    "",
                    "",
                    exactly
                            ? "has both `exactly` and `firstAvailable`; keep one"
                            : "needs `exactly` (with deviceClassName) or `firstAvailable`");
            return Optional.empty();
        }
        if (exactly) {
            return Fields.of(
                            request.object().get("exactly"),
                            request.at("exactly"),
                            problems,
                            admin(SELECTION, request.object().get("exactly")))
                    .map(fields -> new DeviceRequest.Exactly(name, selection(fields)));
        }
        List<DeviceRequest.Alternative> alternatives = alternatives(request, name);
        return alternatives.isEmpty()
                ? Optional.empty()
                : Optional.of(new DeviceRequest.FirstAvailable(name, alternatives));
    }

    private List<DeviceRequest.Alternative> alternatives(Fields request, String requestName) {
        List<DeviceRequest.Alternative> result = new ArrayList<>();
        Set<String> own = new HashSet<>();
        List<Fields.Element> elements = request.list("firstAvailable", ALTERNATIVES);
        if (elements.isEmpty()) {
            request.refuse("firstAvailable", "", "is empty; write at least one alternative");
        }
        List<String> known = new ArrayList<>(SELECTION);
        known.addFirst("name");
        for (Fields.Element element : elements) {
            if (element.node() instanceof ObjectNode object && object.has("exactly")) {
                problems.add(new ClaimProblem(
                        element.path() + ".exactly",
                        "",
                        "alternatives have no `exactly`; put its fields one level up"));
                continue;
            }
            Fields.of(element.node(), element.path(), problems, admin(known, element.node()))
                    .ifPresent(fields -> {
                        String name = name(fields, own, requestName + "/");
                        result.add(new DeviceRequest.Alternative(name, selection(fields)));
                    });
        }
        return result;
    }

    /** adminAccess is refused with a reason of its own instead of being called unknown. */
    private static List<String> admin(List<String> known, JsonNode node) {
        if (!node.has("adminAccess")) {
            return known;
        }
        List<String> result = new ArrayList<>(known);
        result.add("adminAccess");
        return result;
    }

    private String name(Fields fields, Set<String> taken, String prefix) {
        String name = fields.requiredText("name", "gpu");
        if (fields.has("name") && !DnsNames.isLabel(name)) {
            fields.refuse("name", name, "is no request name: use lower case letters, digits and '-', at most 63");
        } else if (!name.isEmpty() && !taken.add(name)) {
            fields.refuse("name", name, "is there twice; give each its own name");
        }
        names.add(prefix + name);
        return name;
    }

    private DeviceSelection selection(Fields fields) {
        String className = fields.requiredText("deviceClassName", "gpu.nvidia.com");
        if (!className.isEmpty() && !DnsNames.isSubdomain(className)) {
            fields.refuse(
                    "deviceClassName",
                    className,
                    "is no device class name: use lower case letters, digits, '-' and '.'");
        }
        if (fields.has("adminAccess")) {
            fields.refuse("adminAccess", Fields.shown(fields.object().get("adminAccess")), ADMIN);
        }
        List<String> selectors = new ArrayList<>();
        fields.list("selectors", DeviceClaim.LIMIT)
                .forEach(element -> selector(element).ifPresent(selectors::add));
        List<Toleration> tolerations = new ArrayList<>();
        fields.list("tolerations", TOLERATIONS)
                .forEach(element -> toleration(element).ifPresent(tolerations::add));
        return new DeviceSelection(className, selectors, allocation(fields), tolerations, capacity(fields));
    }

    private Allocation allocation(Fields fields) {
        String mode = fields.text("allocationMode").orElse("ExactCount");
        OptionalLong count = fields.number("count");
        if (mode.equals("All")) {
            if (count.isPresent() && count.getAsLong() != 0) {
                fields.refuse(
                        "count",
                        Long.toString(count.getAsLong()),
                        "has no place beside allocationMode: All; remove one");
            }
            return new Allocation.All();
        }
        if (!mode.equals("ExactCount")) {
            fields.refuse("allocationMode", mode, "must be ExactCount or All");
        }
        long devices = count.orElse(1);
        if (devices < 1 || devices > DeviceClaim.LIMIT) {
            fields.refuse("count", Long.toString(devices), "must be 1 to " + DeviceClaim.LIMIT);
            return new Allocation.ExactCount(1);
        }
        return new Allocation.ExactCount(devices);
    }

    private Optional<String> selector(Fields.Element element) {
        return Fields.of(element.node(), element.path(), problems, List.of("cel"))
                .flatMap(fields -> {
                    if (!fields.has("cel")) {
                        fields.refuse("cel", "", "is missing; write `cel: {expression: ...}`");
                        return Optional.empty();
                    }
                    return Fields.of(fields.object().get("cel"), fields.at("cel"), problems, List.of("expression"));
                })
                .flatMap(cel -> {
                    String expression = cel.requiredText("expression", "device.driver == \"gpu.nvidia.com\"");
                    if (cel.has("expression") && expression.isBlank()) {
                        cel.refuse(
                                "expression", expression, "is empty; write a CEL condition or leave the selector out");
                    }
                    if (expression.getBytes(StandardCharsets.UTF_8).length > CEL_BYTES) {
                        cel.refuse("expression", "", "is longer than 10 KiB");
                    }
                    return Optional.of(expression);
                });
    }

    private Optional<Toleration> toleration(Fields.Element element) {
        return Fields.of(element.node(), element.path(), problems, TOLERATION).map(fields -> {
            Map<String, String> texts = new HashMap<>();
            for (String field : List.of("key", "operator", "value", "effect")) {
                fields.text(field).ifPresent(text -> texts.put(field, text));
            }
            String operator = texts.computeIfAbsent("operator", absent -> "Equal");
            if (!operator.equals("Equal") && !operator.equals("Exists")) {
                fields.refuse("operator", operator, "must be Equal or Exists");
            }
            if (operator.equals("Exists") && texts.containsKey("value")) {
                fields.refuse("value", String.valueOf(texts.get("value")), "has no place beside operator: Exists");
            }
            if (operator.equals("Equal") && !texts.containsKey("key")) {
                fields.refuse("key", "", "is missing; only operator: Exists may go without");
            }
            String effect = texts.getOrDefault("effect", "");
            if (!List.of("", "NoSchedule", "NoExecute").contains(effect)) {
                fields.refuse("effect", effect, "must be NoSchedule, NoExecute, or absent for all");
            }
            OptionalLong seconds = fields.number("tolerationSeconds");
            if (seconds.isPresent() && !effect.equals("NoExecute")) {
                fields.refuse("tolerationSeconds", Long.toString(seconds.getAsLong()), "needs effect: NoExecute");
            }
            return new Toleration(texts, seconds);
        });
    }

    private SortedMap<String, Quantity> capacity(Fields fields) {
        TreeMap<String, Quantity> result = new TreeMap<>();
        if (!fields.has("capacity")) {
            return result;
        }
        Optional<Fields> capacity =
                Fields.of(fields.object().get("capacity"), fields.at("capacity"), problems, List.of("requests"));
        if (capacity.isEmpty() || !capacity.get().has("requests")) {
            return result;
        }
        JsonNode requests = capacity.get().object().get("requests");
        if (!(requests instanceof ObjectNode amounts)) {
            capacity.get().refuse("requests", Fields.shown(requests), "must be an object, as in {memory: 40Gi}");
            return result;
        }
        amounts.properties().forEach(entry -> {
            String field = "requests." + entry.getKey();
            String amount = Fields.shown(entry.getValue());
            Optional<Quantity> quantity = Quantity.parse(amount);
            if (!DnsNames.isQualifiedName(entry.getKey())) {
                capacity.get().refuse(field, entry.getKey(), "is no capacity name, as memory is");
            } else if (quantity.isEmpty()) {
                capacity.get().refuse(field, amount, "must be a quantity, as in 40Gi");
            } else {
                result.put(entry.getKey(), quantity.get());
            }
        });
        return result;
    }

    private Optional<DeviceConstraint> constraint(Fields.Element element) {
        List<String> known = List.of("requests", "matchAttribute", "distinctAttribute");
        return Fields.of(element.node(), element.path(), problems, known).flatMap(fields -> {
            List<String> requests = references(fields);
            boolean match = fields.has("matchAttribute");
            if (match == fields.has("distinctAttribute")) {
                fields.refuse("", "", "needs one of matchAttribute and distinctAttribute");
                return Optional.empty();
            }
            DeviceConstraint.Relation relation =
                    match ? DeviceConstraint.Relation.MATCH : DeviceConstraint.Relation.DISTINCT;
            String attribute = fields.text(relation.field()).orElse("");
            if (!attribute.contains("/") || !DnsNames.isQualifiedName(attribute)) {
                fields.refuse(
                        relation.field(), attribute, "must be DOMAIN/NAME, as in resource.kubernetes.io/pcieRoot");
                return Optional.empty();
            }
            return Optional.of(new DeviceConstraint(requests, relation, attribute));
        });
    }

    private Optional<DeviceConfig> config(Fields.Element element) {
        return Fields.of(element.node(), element.path(), problems, List.of("requests", "opaque"))
                .flatMap(fields -> {
                    List<String> requests = references(fields);
                    if (!fields.has("opaque")) {
                        fields.refuse("opaque", "", "is missing; write `opaque: {driver: ..., parameters: {...}}`");
                        return Optional.empty();
                    }
                    return Fields.of(
                                    fields.object().get("opaque"),
                                    fields.at("opaque"),
                                    problems,
                                    List.of("driver", "parameters"))
                            .flatMap(opaque -> opaque(opaque, requests));
                });
    }

    private static Optional<DeviceConfig> opaque(Fields opaque, List<String> requests) {
        String driver = opaque.requiredText("driver", "gpu.nvidia.com");
        if (!driver.isEmpty() && (!DnsNames.isSubdomain(driver) || driver.length() > 63)) {
            opaque.refuse("driver", driver, "is no driver name, as gpu.nvidia.com is");
        }
        if (!opaque.has("parameters") || !opaque.object().get("parameters").isObject()) {
            opaque.refuse("parameters", "", "must be an object, as the driver documents it");
            return Optional.empty();
        }
        String parameters = ClaimJson.text(opaque.object().get("parameters"));
        if (parameters.getBytes(StandardCharsets.UTF_8).length > PARAMETER_BYTES) {
            opaque.refuse("parameters", "", "are longer than 10 KiB");
        }
        return Optional.of(new DeviceConfig(requests, driver, parameters));
    }

    private List<String> references(Fields fields) {
        List<String> requests = fields.texts("requests", DeviceClaim.LIMIT);
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < requests.size(); i++) {
            String name = requests.get(i);
            if (!names.contains(name)) {
                fields.refuse("requests[" + i + "]", name, "names no request of this claim");
            } else if (!seen.add(name)) {
                fields.refuse("requests[" + i + "]", name, "is there twice; keep one");
            }
        }
        return requests;
    }

    private static boolean isFlat(ObjectNode request) {
        return !request.has("exactly")
                && !request.has("firstAvailable")
                && SELECTION.stream().anyMatch(request::has);
    }

    private static String exactlyForm(ObjectNode request) {
        ObjectNode result = ClaimJson.NODES.objectNode();
        ObjectNode exactly = ClaimJson.NODES.objectNode();
        request.properties()
                .forEach(field ->
                        (field.getKey().equals("name") ? result : exactly).set(field.getKey(), field.getValue()));
        if (!result.has("name")) {
            result.put("name", "device");
        }
        result.set("exactly", exactly);
        return result.toString();
    }
}
