package dev.plainsail.webhook.plan;

import dev.plainsail.dra.DnsNames;
import dev.plainsail.dra.Quantity;
import dev.plainsail.webhook.engine.KnownImage;
import dev.plainsail.webhook.plan.InjectionSettings.FillSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The injection part of the settings file to {@link InjectionSettings}: keys that are absent keep their defaults, and
 * everything that is wrong is listed together. One use, one thread.
 */
public final class InjectionSettingsReader {

    /**
     * A key of the file; lists and objects are described by an example.
     *
     * @param fallback what it is when it is not written; empty if nothing
     */
    public record Key(String name, String fallback, String meaning) {}

    private static final InjectionSettings DEFAULTS = InjectionSettings.defaults();

    public static final List<Key> KEYS = List.of(
            new Key(
                    "extended-resources",
                    words(DEFAULTS.extendedResources(), ExtendedResource::pattern),
                    "list of {resource, device-class, selectors, mode: native|convert}; replaces the whole default list"),
            new Key(
                    "default-class",
                    DEFAULTS.defaultClass().orElse(""),
                    "device class of `devices: auto` without a limit; unset: no claim, a warning"),
            new Key(
                    "driver-directories",
                    words(DEFAULTS.driverDirectories(), Function.identity()),
                    "folders put in front of LIBRARY_PATH"),
            new Key(
                    "library-path-classes",
                    words(DEFAULTS.libraryPathClasses(), Function.identity()),
                    "device classes whose claims bring LIBRARY_PATH with them"),
            new Key(
                    "known-images",
                    words(DEFAULTS.knownImages(), KnownImage::repository),
                    "list of {repository, engine, entrypoint, command, library-path}; in front of the default list"),
            new Key(
                    "offloading-memory",
                    DEFAULTS.offloadingMemory().toString(),
                    "host memory of `kv-transfer: offloading`"),
            new Key("shared-storage-path", DEFAULTS.sharedStoragePath(), "folder of `kv-transfer: shared-storage`"),
            new Key(
                    "shm",
                    DEFAULTS.fill().shm().toString(),
                    "size of /dev/shm, bounded by half of the container's memory limit"),
            new Key(
                    "startup-budget",
                    seconds(DEFAULTS.fill().startupBudget()),
                    "how long a model may load before its startup probe gives up"),
            new Key(
                    "grace",
                    seconds(DEFAULTS.fill().grace()),
                    "terminationGracePeriodSeconds where the API's default of 30 s stands"),
            new Key(
                    "pre-stop-sleep",
                    seconds(DEFAULTS.fill().preStopSleep()),
                    "pause between \"terminating\" and SIGTERM"));

    private static <T> String words(List<T> values, Function<T, String> word) {
        return values.stream().map(word).collect(Collectors.joining(", "));
    }

    private static String seconds(Duration duration) {
        return duration.toSeconds() + "s";
    }

    /** @param path key within the part, as {@code known-images[0].engine} */
    public record SettingProblem(String path, String badValue, String detail) {}

    /** What reading gives. */
    public sealed interface Read {
        record Accepted(InjectionSettings settings) implements Read {}

        record Refused(List<SettingProblem> problems) implements Read {
            public Refused {
                problems = List.copyOf(problems);
            }
        }
    }

    private static final Pattern DURATION = Pattern.compile("([0-9]{1,6})(s|m|h)");

    private final List<SettingProblem> problems = new ArrayList<>();

    private InjectionSettingsReader() {}

    public static Read read(JsonNode tree) {
        InjectionSettingsReader reader = new InjectionSettingsReader();
        InjectionSettings settings = reader.settings(tree);
        return reader.problems.isEmpty() ? new Read.Accepted(settings) : new Read.Refused(reader.problems);
    }

    private InjectionSettings settings(JsonNode tree) {
        known(tree, "", KEYS.stream().map(Key::name).toList());
        List<KnownImage> images = new ArrayList<>();
        each(tree, "known-images", (element, path) -> image(element, path).ifPresent(images::add));
        images.addAll(DEFAULTS.knownImages());
        List<ExtendedResource> resources = new ArrayList<>();
        each(
                tree,
                "extended-resources",
                (element, path) -> resource(element, path).ifPresent(resources::add));
        Optional<String> defaultClass = text(tree, "default-class", "");
        defaultClass
                .filter(name -> !DnsNames.isSubdomain(name))
                .ifPresent(name -> problem("default-class", name, "is no device class name"));
        FillSettings fill = DEFAULTS.fill();
        return new InjectionSettings(
                tree.has("extended-resources") ? resources : DEFAULTS.extendedResources(),
                defaultClass,
                folders(tree, "driver-directories", DEFAULTS.driverDirectories()),
                tree.has("library-path-classes")
                        ? texts(tree, "library-path-classes", "")
                        : DEFAULTS.libraryPathClasses(),
                images,
                quantity(tree, "offloading-memory", DEFAULTS.offloadingMemory()),
                text(tree, "shared-storage-path", "").orElse(DEFAULTS.sharedStoragePath()),
                new FillSettings(
                        quantity(tree, "shm", fill.shm()),
                        duration(tree, "startup-budget", fill.startupBudget()),
                        duration(tree, "grace", fill.grace()),
                        duration(tree, "pre-stop-sleep", fill.preStopSleep())));
    }

    private interface Each {
        void element(JsonNode element, String path);
    }

    private void each(JsonNode tree, String key, Each each) {
        JsonNode list = tree.path(key);
        if (list.isMissingNode()) {
            return;
        }
        if (!list.isArray()) {
            problem(key, list.toString(), "must be a list");
            return;
        }
        for (int i = 0; i < list.size(); i++) {
            each.element(list.get(i), key + "[" + i + "]");
        }
    }

    private Optional<KnownImage> image(JsonNode node, String path) {
        known(node, path + ".", List.of("repository", "engine", "entrypoint", "command", "library-path"));
        String engine = text(node, "engine", path + ".").orElse("");
        if (!engine.equals("vllm") && !engine.equals("sglang")) {
            problem(path + ".engine", engine, "must be vllm or sglang");
        }
        Optional<String> repository = text(node, "repository", path + ".");
        if (repository.isEmpty()) {
            problem(
                    path + ".repository",
                    "",
                    "is missing; write the last two parts of the image's name, as in vllm/vllm-openai*");
            return Optional.empty();
        }
        return Optional.of(new KnownImage(
                repository.get(),
                engine,
                texts(node, "entrypoint", path + "."),
                texts(node, "command", path + "."),
                text(node, "library-path", path + ".").orElse("")));
    }

    private Optional<ExtendedResource> resource(JsonNode node, String path) {
        known(node, path + ".", List.of("resource", "device-class", "selectors", "mode"));
        Optional<String> resource = text(node, "resource", path + ".");
        Optional<String> deviceClass = text(node, "device-class", path + ".");
        String mode = text(node, "mode", path + ".").orElse("native");
        if (!mode.equals("native") && !mode.equals("convert")) {
            problem(path + ".mode", mode, "must be native or convert");
        }
        if (resource.isEmpty() || deviceClass.isEmpty()) {
            problem(path, "", "needs resource and device-class");
            return Optional.empty();
        }
        if (!DnsNames.isSubdomain(deviceClass.get())) {
            problem(path + ".device-class", deviceClass.get(), "is no device class name");
        }
        return Optional.of(new ExtendedResource(
                resource.get(),
                deviceClass.get(),
                texts(node, "selectors", path + "."),
                mode.equals("convert") ? ExtendedResource.Mode.CONVERT : ExtendedResource.Mode.NATIVE));
    }

    private void known(JsonNode node, String prefix, List<String> keys) {
        if (!(node instanceof ObjectNode object)) {
            problem(
                    prefix.isEmpty() ? "" : prefix.substring(0, prefix.length() - 1),
                    node.toString(),
                    "must be an object");
            return;
        }
        for (String key : object.propertyNames()) {
            if (!keys.contains(key)) {
                problem(prefix + key, key, "is no setting; known are " + String.join(", ", keys));
            }
        }
    }

    private Optional<String> text(JsonNode node, String key, String prefix) {
        JsonNode value = node.path(key);
        if (value.isMissingNode() || value.isNull()) {
            return Optional.empty();
        }
        if (!value.isString()) {
            problem(prefix + key, value.toString(), "must be a text; put it in quotes");
            return Optional.empty();
        }
        return Optional.of(value.stringValue());
    }

    private List<String> texts(JsonNode node, String key, String prefix) {
        List<String> result = new ArrayList<>();
        each(node, key, (element, path) -> {
            if (element.isString()) {
                result.add(element.stringValue());
            } else {
                problem(prefix + path, element.toString(), "must be a text");
            }
        });
        return result;
    }

    private List<String> folders(JsonNode tree, String key, List<String> fallback) {
        if (!tree.has(key)) {
            return fallback;
        }
        List<String> folders = texts(tree, key, "");
        folders.stream()
                .filter(folder -> !folder.startsWith("/") || folder.contains(":"))
                .forEach(folder -> problem(key, folder, "must be an absolute folder"));
        return folders;
    }

    private Quantity quantity(JsonNode tree, String key, Quantity fallback) {
        Optional<String> text = text(tree, key, "");
        Optional<Quantity> quantity = text.flatMap(Quantity::parse);
        if (text.isPresent()
                && quantity.filter(amount -> amount.value().signum() > 0).isEmpty()) {
            problem(key, text.get(), "must be a positive quantity, as in 16Gi");
        }
        return quantity.orElse(fallback);
    }

    private Duration duration(JsonNode tree, String key, Duration fallback) {
        Optional<String> text = text(tree, key, "");
        if (text.isEmpty()) {
            return fallback;
        }
        Matcher matcher = DURATION.matcher(text.get());
        if (!matcher.matches()) {
            problem(key, text.get(), "must be a number with s, m or h, as in 90s");
            return fallback;
        }
        long number = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "h" -> Duration.ofHours(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofSeconds(number);
        };
    }

    private void problem(String path, String badValue, String detail) {
        problems.add(new SettingProblem(path, badValue, detail));
    }
}
