package dev.plainsail.dra.cel;

import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.plainsail.dra.Device;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A compiled selector. */
public final class DeviceExpression {

    private static final Pattern MISSING_KEY = Pattern.compile("key '([^']*)' is not present in map.*", Pattern.DOTALL);

    private final CelRuntime.Program program;

    DeviceExpression(CelRuntime.Program program) {
        this.program = program;
    }

    /** Does not throw; bounded by the length of the expression and by a limit on loop steps. */
    public Outcome evaluate(Device device) {
        try {
            Object result = program.eval(Map.of("device", DeviceValues.of(device)));
            if (result instanceof Boolean matches) {
                return matches ? new Outcome.Match() : new Outcome.NoMatch();
            }
            String type = result instanceof List<?> ? "list" : result.getClass().getSimpleName();
            return new Outcome.Failed("CEL result of type " + type + " could not be converted to bool");
        } catch (CelEvaluationException | DeviceValues.BadVersionException e) {
            return new Outcome.Failed(worded(String.valueOf(e.getMessage())));
        }
    }

    /** As the scheduler words it. */
    private static String worded(String message) {
        String bare = message.replaceFirst("^evaluation error(?: at [^:]*:[0-9]+)?: ", "");
        Matcher missing = MISSING_KEY.matcher(bare);
        return missing.matches() ? "no such key: " + missing.group(1) : bare;
    }
}
