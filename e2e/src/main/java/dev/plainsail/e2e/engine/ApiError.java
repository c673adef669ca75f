package dev.plainsail.e2e.engine;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An answer that is an error, in vLLM's shape and words. */
final class ApiError extends Exception {
    private static final long serialVersionUID = 1;

    private final int status;
    private final String type;
    private final @Nullable String parameter;

    ApiError(int status, String type, @Nullable String parameter, String message) {
        super(message, null, false, false);
        this.status = status;
        this.type = type;
        this.parameter = parameter;
    }

    static ApiError badRequest(@Nullable String parameter, String message) {
        return new ApiError(400, "BadRequestError", parameter, message);
    }

    /** What vLLM's schema check says. */
    static ApiError invalid(String location, String kind, String message, String input) {
        return new ApiError(
                400,
                "Bad Request",
                location,
                "1 validation error:\n  {'type': '" + kind + "', 'loc': '" + location + "', 'msg': '" + message
                        + "', 'input': " + input + "}");
    }

    /** A value as vLLM shows it in its messages. */
    static String shown(JsonNode value) {
        if (value.isObject()) {
            return "'<dict of " + value.size() + " items>'";
        }
        if (value.isArray()) {
            return "'<list of " + value.size() + " items>'";
        }
        return value.isString() ? "'" + value.stringValue() + "'" : value.toString();
    }

    int status() {
        return status;
    }

    byte[] json() {
        Map<String, @Nullable Object> error = new LinkedHashMap<>();
        error.put("message", getMessage());
        error.put("type", type);
        error.put("param", parameter);
        error.put("code", status);
        return JsonMapper.shared().writeValueAsBytes(Map.of("error", error));
    }
}
