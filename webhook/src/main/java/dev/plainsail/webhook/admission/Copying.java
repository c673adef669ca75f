package dev.plainsail.webhook.admission;

import dev.plainsail.webhook.plan.Annotations;
import dev.plainsail.webhook.plan.Annotations.Input;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.Problem;
import dev.plainsail.webhook.plan.Reason;
import dev.plainsail.webhook.plan.Warning;
import dev.plainsail.webhook.plan.Written;
import dev.plainsail.webhook.workload.PodTemplate;
import dev.plainsail.webhook.workload.Trees;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Keeps a template's annotations equal to those on its workload's metadata, so that {@code kubectl annotate deployment} is all
 * a user does. {@code plainsail.dev/copied} remembers, by hash, which values we wrote: only those are ever changed or taken
 * back; a value that somebody else wrote or changed in the template is theirs from then on. Only the object itself is read.
 *
 * @param annotations the template's annotations as they will be
 * @param written ours among them, each with the place where the user wrote it
 * @param changes what to put (or, with an empty optional, to remove) in the template's annotations
 */
record Copying(
        Map<String, String> annotations,
        Map<String, Written> written,
        Map<String, Optional<String>> changes,
        List<Warning> warnings) {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final int HASH_HEX = 8;
    /** What only the pod that serves requests needs. */
    private static final Set<String> LEADER_ONLY = Set.of(Input.POOL.key(), Input.PORT.key(), Input.KV_EVENTS.key());

    /** Of a template whose workload copies. */
    static Copying of(Map<String, String> metadata, PodTemplate template) {
        Map<String, String> before =
                Trees.textMap(template.node().path("metadata").path("annotations"));
        Map<String, String> inputs = inputs(metadata, template);
        Map<String, String> after = new LinkedHashMap<>(before);
        Map<String, String> ours = new TreeMap<>();
        record(before.get(Annotations.COPIED)).forEach((key, hash) -> {
            String value = before.get(key);
            if (value == null || !hash(value).equals(hash)) {
                return; // the user's now
            }
            String wanted = inputs.get(key);
            if (wanted == null) {
                after.remove(key);
            } else {
                after.put(key, wanted);
                ours.put(key, hash(wanted));
            }
        });
        List<Warning> warnings = new ArrayList<>();
        inputs.forEach((key, value) -> {
            if (ours.containsKey(key)) {
                return;
            }
            String there = after.get(key);
            if (there == null) {
                after.put(key, value);
                ours.put(key, hash(value));
            } else if (!there.equals(value)) {
                warnings.add(new Warning(
                        Caution.TEMPLATE_WINS,
                        Written.annotationPath(template.prefix(), key),
                        "differs from the workload's own annotation and wins; remove one of the two"));
            }
        });
        if (ours.isEmpty()) {
            after.remove(Annotations.COPIED);
        } else {
            after.put(Annotations.COPIED, text(ours));
        }
        Map<String, Written> written = written(after, ours.keySet(), template.prefix());
        // Never copied, but judged: a mistyped key on the workload would otherwise do nothing and say nothing.
        metadata.forEach((key, value) -> {
            if (isUnknown(key)) {
                written.putIfAbsent(key, new Written(value, Written.annotationPath("", key)));
            }
        });
        return new Copying(after, written, changes(before, after), warnings);
    }

    private static boolean isUnknown(String key) {
        return key.startsWith(Annotations.PREFIX) && Input.of(key).isEmpty() && !Annotations.OUTPUTS.contains(key);
    }

    /** Of a template that is taken as it is. */
    static Copying none(PodTemplate template) {
        Map<String, String> annotations =
                Trees.textMap(template.node().path("metadata").path("annotations"));
        return new Copying(annotations, written(annotations, Set.of(), template.prefix()), Map.of(), List.of());
    }

    private static Map<String, String> inputs(Map<String, String> metadata, PodTemplate template) {
        Map<String, String> result = new LinkedHashMap<>();
        metadata.forEach((key, value) -> {
            boolean isForThis = !template.position().isWorker() || !LEADER_ONLY.contains(key);
            if (Annotations.isInput(key) && isForThis) {
                result.put(key, value);
            }
        });
        return result;
    }

    /** What an earlier pass noted; an unreadable note is no note. */
    private static Map<String, String> record(@Nullable String text) {
        if (text == null) {
            return Map.of();
        }
        try {
            return Trees.textMap(MAPPER.readTree(text));
        } catch (JacksonException e) {
            return Map.of();
        }
    }

    private static String text(Map<String, String> ours) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        ours.forEach(object::put);
        return object.toString();
    }

    static Map<String, Written> written(Map<String, String> annotations, Set<String> fromMetadata, String prefix) {
        Map<String, Written> result = new LinkedHashMap<>();
        annotations.forEach((key, value) -> {
            if (Annotations.isOurs(key)) {
                result.put(
                        key, new Written(value, Written.annotationPath(fromMetadata.contains(key) ? "" : prefix, key)));
            }
        });
        return result;
    }

    /** Values of ours that are no texts. The API server refuses them before us; files on a disk have nobody to do so. */
    static List<Problem> notTexts(JsonNode annotations, String prefix) {
        List<Problem> problems = new ArrayList<>();
        if (annotations.isObject()) {
            annotations.properties().forEach(field -> {
                if (Annotations.isOurs(field.getKey()) && !field.getValue().isString()) {
                    problems.add(new Problem(
                            Reason.NOT_A_TEXT,
                            Written.annotationPath(prefix, field.getKey()),
                            field.getValue().toString(),
                            "annotations are texts; write \"" + field.getValue().asString("") + "\", in quotes"));
                }
            });
        }
        return problems;
    }

    private static Map<String, Optional<String>> changes(Map<String, String> before, Map<String, String> after) {
        Map<String, Optional<String>> changes = new LinkedHashMap<>();
        before.keySet().stream()
                .filter(key -> !after.containsKey(key))
                .forEach(key -> changes.put(key, Optional.empty()));
        after.forEach((key, value) -> {
            if (!value.equals(before.get(key))) {
                changes.put(key, Optional.of(value));
            }
        });
        return changes;
    }

    static String hash(String value) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, HASH_HEX);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
