package dev.plainsail.webhook.plan;

import dev.plainsail.dra.ClaimProblem;
import dev.plainsail.dra.DeviceClaim;
import dev.plainsail.dra.DeviceClaimText;
import dev.plainsail.dra.DeviceRequest;
import dev.plainsail.dra.DeviceSelection;
import dev.plainsail.dra.DnsNames;
import dev.plainsail.dra.ParsedClaim;
import dev.plainsail.webhook.plan.Annotations.Alias;
import dev.plainsail.webhook.plan.Annotations.Input;
import dev.plainsail.webhook.plan.Intent.Asked;
import dev.plainsail.webhook.plan.Intent.Devices;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads {@code devices} and {@code container}, under our names and under KServe's. */
final class DevicesReader {

    private static final Pattern COUNT = Pattern.compile("[1-9]|[12][0-9]|3[0-2]");

    private final Map<String, Written> written;
    private final Problems problems;

    DevicesReader(Map<String, Written> written, Problems problems) {
        this.written = written;
        this.problems = problems;
    }

    /** Whether anything about devices was written, good or bad. */
    boolean isWritten() {
        return written.containsKey(Input.DEVICES.key()) || written.containsKey(Alias.DEVICE_CLASS.key());
    }

    private @Nullable Written get(String key) {
        return written.get(key);
    }

    Optional<Asked<Devices>> devices() {
        Optional<Asked<Devices>> own = own();
        Optional<Asked<Devices>> alias = alias();
        if (own.isPresent()
                && alias.isPresent()
                && !sameClaim(own.get().value(), alias.get().value())) {
            problems.refuse(
                    Reason.TWO_SPELLINGS,
                    alias.get().written(),
                    "asks for other devices than " + Input.DEVICES.key()
                            + " on the same object; remove one of the two");
        }
        return own.isPresent() ? own : alias;
    }

    private static boolean sameClaim(Devices one, Devices other) {
        return one instanceof Devices.These(DeviceClaim first, boolean ignored)
                && other instanceof Devices.These(DeviceClaim second, boolean alsoIgnored)
                && first.equals(second);
    }

    private Optional<Asked<Devices>> own() {
        Written value = get(Input.DEVICES.key());
        if (value == null) {
            return Optional.empty();
        }
        if (value.value().trim().equals("auto")) {
            return Optional.of(new Asked<>(new Devices.Auto(), value));
        }
        return switch (DeviceClaimText.parse(value.value())) {
            case ParsedClaim.Accepted(DeviceClaim claim, boolean isCountOpen) ->
                Optional.of(new Asked<>(new Devices.These(claim, isCountOpen), value));
            case ParsedClaim.Refused(List<ClaimProblem> found) -> {
                found.forEach(problem -> problems.refuse(
                        Reason.BAD_DEVICES,
                        value,
                        problem.badValue().isEmpty() ? "" : problem.badValue(),
                        problem.path().isEmpty() ? problem.detail() : problem.path() + ": " + problem.detail()));
                yield Optional.empty();
            }
        };
    }

    private Optional<Asked<Devices>> alias() {
        Written className = get(Alias.DEVICE_CLASS.key());
        Written count = get(Alias.DEVICE_COUNT.key());
        Written selector = get(Alias.CEL_SELECTOR.key());
        if (className == null) {
            for (Alias companion : List.of(Alias.DEVICE_COUNT, Alias.CEL_SELECTOR, Alias.CONTAINER_NAME)) {
                Written value = get(companion.key());
                if (value != null) {
                    problems.refuse(
                            Reason.ALIAS_WITHOUT_CLASS,
                            value,
                            "does nothing without " + Alias.DEVICE_CLASS.key() + "; write that one, too");
                }
            }
            return Optional.empty();
        }
        boolean isGood = true;
        String name = className.value().trim();
        if (!DnsNames.isSubdomain(name)) {
            problems.refuse(Reason.BAD_VALUE, className, "write the name of a device class, as in gpu.nvidia.com");
            isGood = false;
        }
        long devices = 1;
        if (count != null && !count.value().isBlank()) {
            if (COUNT.matcher(count.value().trim()).matches()) {
                devices = Long.parseLong(count.value().trim());
            } else {
                problems.refuse(Reason.BAD_VALUE, count, "write a number from 1 to 32, in quotes");
                isGood = false;
            }
        }
        List<String> selectors = new ArrayList<>();
        if (selector != null) {
            selector.value()
                    .lines()
                    .map(String::trim)
                    .filter(line -> !line.isEmpty())
                    .forEach(selectors::add);
            if (selectors.isEmpty()) {
                problems.refuse(
                        Reason.BAD_VALUE, selector, "is empty; write one CEL condition a line, or leave it out");
                isGood = false;
            }
        }
        if (!isGood) {
            return Optional.empty();
        }
        DeviceSelection selection = DeviceSelection.of(name, devices, selectors.toArray(String[]::new));
        DeviceClaim claim = DeviceClaim.of(new DeviceRequest.Exactly("device", selection));
        return Optional.of(new Asked<>(
                new Devices.These(claim, count == null || count.value().isBlank()), className));
    }

    Optional<Asked<List<String>>> containers() {
        Written own = get(Input.CONTAINER.key());
        Written alias = get(Alias.CONTAINER_NAME.key());
        Optional<Asked<List<String>>> result = own == null ? Optional.empty() : names(own);
        if (alias == null) {
            return result;
        }
        Optional<Asked<List<String>>> other = names(alias);
        if (other.isPresent() && other.get().value().size() > 1) {
            problems.refuse(Reason.BAD_VALUE, alias, "write one container name");
        }
        if (result.isPresent()
                && other.isPresent()
                && !result.get().value().equals(other.get().value())) {
            problems.refuse(
                    Reason.TWO_SPELLINGS,
                    alias,
                    "names another container than " + Input.CONTAINER.key()
                            + " on the same object; remove one of the two");
        }
        return own == null ? other : result;
    }

    private Optional<Asked<List<String>>> names(Written value) {
        List<String> names = new ArrayList<>();
        for (String part : value.value().split(",", -1)) {
            String name = part.trim();
            if (!DnsNames.isLabel(name)) {
                problems.refuse(
                        Reason.BAD_VALUE,
                        value,
                        name,
                        "write container names with commas between: lower case letters, digits, '-'");
                return Optional.empty();
            }
            names.add(name);
        }
        if (new HashSet<>(names).size() < names.size()) {
            problems.refuse(Reason.BAD_VALUE, value, "names a container twice; keep one");
            return Optional.empty();
        }
        return Optional.of(new Asked<>(names, value));
    }
}
