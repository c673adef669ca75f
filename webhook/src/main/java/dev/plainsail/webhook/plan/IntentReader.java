package dev.plainsail.webhook.plan;

import dev.plainsail.dra.DnsNames;
import dev.plainsail.webhook.plan.Annotations.Input;
import dev.plainsail.webhook.plan.Intent.Asked;
import dev.plainsail.webhook.plan.Intent.ClaimSource;
import dev.plainsail.webhook.plan.Intent.EngineChoice;
import dev.plainsail.webhook.plan.Intent.Fill;
import dev.plainsail.webhook.plan.Intent.KvEvents;
import dev.plainsail.webhook.plan.Intent.LibraryPath;
import dev.plainsail.webhook.plan.Intent.PortChoice;
import dev.plainsail.webhook.plan.Intent.Role;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** From written annotations to an {@link Intent}; every mistake is noted. One use, one thread. */
final class IntentReader {

    private static final Pattern ENDPOINT = Pattern.compile("(?:tcp://[^\\s,]+:[0-9]{1,5}|ipc://\\S+)");
    private static final Pattern PORT_NAME = Pattern.compile("(?=.*[a-z])[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?");
    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,5}");

    private final Map<String, Written> written;
    private final Problems problems;

    IntentReader(Map<String, Written> written, Problems problems) {
        this.written = written;
        this.problems = problems;
    }

    Intent read() {
        boolean isEverything = read(Input.INJECT, this::bool).map(Asked::value).orElse(false);
        DevicesReader devices = new DevicesReader(written, problems);
        Optional<Asked<Intent.Devices>> asked = devices.devices();
        Optional<Asked<ClaimSource>> claim = read(Input.CLAIM, this::claim);
        if (claim.isPresent() && asked.isPresent()) {
            problems.refuse(
                    Reason.DEVICES_AND_CLAIM,
                    claim.get().written(),
                    "an existing claim and `devices` exclude each other; remove one of the two");
        }
        Optional<Asked<LibraryPath>> libraryPath = read(Input.LIBRARY_PATH, this::libraryPath);
        Set<Fill> fill = fill(isEverything);
        read(Input.PLACEMENT, this::placement);
        if (isEverything) {
            Written inject = get(Input.INJECT.key());
            if (inject != null && asked.isEmpty() && claim.isEmpty() && !devices.isWritten()) {
                asked = Optional.of(new Asked<>(new Intent.Devices.Auto(), inject));
            }
            if (inject != null && !written.containsKey(Input.LIBRARY_PATH.key())) {
                libraryPath = Optional.of(new Asked<>(new LibraryPath.Auto(), inject));
            }
        }
        return new Intent(
                asked,
                claim,
                devices.containers(),
                read(Input.ENGINE, this::engine),
                read(Input.MODEL, this::model),
                read(Input.PARALLELISM, value -> ParallelismReader.read(value, problems)),
                read(Input.ROLE, this::role),
                read(Input.KV_TRANSFER, value -> KvTransferReader.read(value, problems)),
                read(Input.KV_EVENTS, this::kvEvents),
                read(Input.ENGINE_ARGS, value -> EngineArgsReader.read(value, problems)),
                libraryPath,
                read(Input.POOL, this::pool),
                read(Input.PORT, this::port),
                fill);
    }

    private interface Reader<T> {
        Optional<T> read(Written written);
    }

    private @Nullable Written get(String key) {
        return written.get(key);
    }

    private <T> Optional<Asked<T>> read(Input input, Reader<T> reader) {
        Written value = get(input.key());
        if (value == null) {
            return Optional.empty();
        }
        return reader.read(value).map(result -> new Asked<>(result, value));
    }

    private <T> Optional<T> bad(Written value, String detail) {
        problems.refuse(Reason.BAD_VALUE, value, detail);
        return Optional.empty();
    }

    private Optional<Boolean> bool(Written value) {
        return switch (value.value().trim()) {
            case "true" -> Optional.of(true);
            case "false" -> Optional.of(false);
            default -> bad(value, "write \"true\" or \"false\", in quotes");
        };
    }

    private Optional<ClaimSource> claim(Written value) {
        String text = value.value().trim();
        boolean isTemplate = text.startsWith("template/");
        String name = isTemplate ? text.substring("template/".length()) : text;
        if (!DnsNames.isSubdomain(name)) {
            return bad(value, "write the name of a ResourceClaim, or template/NAME for a ResourceClaimTemplate");
        }
        return Optional.of(isTemplate ? new ClaimSource.Template(name) : new ClaimSource.Named(name));
    }

    private Optional<EngineChoice> engine(Written value) {
        for (EngineChoice choice : EngineChoice.values()) {
            if (choice.word().equals(value.value().trim())) {
                return Optional.of(choice);
            }
        }
        return bad(value, "write vllm, sglang or none" + didYouMean(value.value(), List.of("vllm", "sglang", "none")));
    }

    private Optional<String> model(Written value) {
        String text = value.value().trim();
        if (text.isEmpty()
                || text.startsWith("-")
                || text.chars().anyMatch(c -> Character.isWhitespace(c) || c < ' ')) {
            return bad(value, "write one model name or path, as in Qwen/Qwen3-8B or /models/qwen");
        }
        return Optional.of(text);
    }

    private Optional<Role> role(Written value) {
        for (Role role : Role.values()) {
            if (role.word().equals(value.value().trim())) {
                return Optional.of(role);
            }
        }
        return bad(
                value,
                "write prefill, decode or both" + didYouMean(value.value(), List.of("prefill", "decode", "both")));
    }

    private Optional<KvEvents> kvEvents(Written value) {
        String text = value.value().trim();
        return switch (text) {
            case "true" -> Optional.of(new KvEvents.On("tcp://*:5557"));
            case "false" -> Optional.of(new KvEvents.Off());
            default ->
                ENDPOINT.matcher(text).matches()
                        ? Optional.of(new KvEvents.On(text))
                        : bad(value, "write \"true\", \"false\", or an endpoint as in tcp://*:5557 or ipc:///tmp/kv");
        };
    }

    private Optional<LibraryPath> libraryPath(Written value) {
        String text = value.value().trim();
        if (text.equals("auto")) {
            return Optional.of(new LibraryPath.Auto());
        }
        if (text.equals("off")) {
            return Optional.of(new LibraryPath.Off());
        }
        List<String> directories = List.of(text.split(":", -1));
        if (directories.stream().anyMatch(String::isEmpty)) {
            return bad(
                    value,
                    "has an empty part, which the linker takes for the current folder; write each folder once, with ':' between");
        }
        for (String directory : directories) {
            if (!directory.startsWith("/")
                    || directory.contains("$")
                    || directory.chars().anyMatch(Character::isWhitespace)) {
                return bad(
                        value,
                        "write auto, off, or absolute folders with ':' between, as in /usr/lib/x86_64-linux-gnu");
            }
        }
        return Optional.of(new LibraryPath.These(directories));
    }

    private Optional<String> pool(Written value) {
        String text = value.value().trim();
        return text.isEmpty() || !Intent.LABEL_VALUE.matcher(text).matches()
                ? bad(
                        value,
                        "write a label value: letters, digits, '-', '_' and '.', at most 63, with a letter or digit at both ends")
                : Optional.of(text);
    }

    private Optional<PortChoice> port(Written value) {
        String text = value.value().trim();
        if (NUMBER.matcher(text).matches() && Integer.parseInt(text) <= 65535) {
            return Optional.of(new PortChoice.Numbered(Integer.parseInt(text)));
        }
        if (PORT_NAME.matcher(text).matches()) {
            return Optional.of(new PortChoice.Named(text));
        }
        return bad(value, "write a number from 1 to 65535 in quotes, or the name of a container port");
    }

    private Optional<String> placement(Written value) {
        return value.value().trim().equals("prefer") ? Optional.of("prefer") : bad(value, "write prefer");
    }

    private Set<Fill> fill(boolean isEverything) {
        Written value = get(Input.FILL.key());
        if (value == null) {
            return isEverything ? Fill.all() : Set.of();
        }
        Set<Fill> result = EnumSet.noneOf(Fill.class);
        Map<String, Fill> known = new LinkedHashMap<>();
        for (Fill fill : Fill.values()) {
            known.put(fill.word(), fill);
        }
        List<String> names = List.copyOf(known.keySet());
        String[] words = value.value().trim().split("[\\s,]+");
        for (String word : words) {
            if (word.equals("off") && words.length == 1) {
                return Set.of();
            }
            Fill fill = known.get(word);
            if (fill == null) {
                problems.refuse(
                        Reason.BAD_VALUE,
                        value,
                        word,
                        "write words of: " + String.join(" ", names) + "; or off" + didYouMean(word, names));
            } else {
                result.add(fill);
            }
        }
        return result;
    }

    static String didYouMean(String word, List<String> known) {
        String bounded = word.trim();
        return bounded.length() > 100
                ? ""
                : Nearest.of(bounded, known)
                        .map(near -> "; did you mean " + near + "?")
                        .orElse("");
    }
}
