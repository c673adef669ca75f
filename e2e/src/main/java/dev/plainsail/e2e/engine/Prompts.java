package dev.plainsail.e2e.engine;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** From the prompt or the messages of a request to tokens. */
final class Prompts {
    private Prompts() {}

    /** A text, several texts, token ids, or several lists of them. */
    static List<Tokens> plain(JsonNode body) throws ApiError {
        JsonNode prompt = body.path("prompt");
        if (prompt.isString() && prompt.stringValue().isEmpty()) {
            throw noPrompt();
        }
        if (prompt.isString()) {
            return List.of(notEmpty(Tokens.of(prompt.stringValue())));
        }
        if (prompt.isArray() && !prompt.isEmpty() && prompt.get(0).isIntegralNumber()) {
            return List.of(ids(prompt));
        }
        if (!prompt.isArray() || prompt.isEmpty()) {
            throw prompt.isArray() ? ApiError.badRequest(null, "You must pass at least one prompt") : noPrompt();
        }
        List<Tokens> all = new ArrayList<>();
        for (JsonNode one : prompt) {
            if (one.isString()) {
                all.add(notEmpty(Tokens.of(one.stringValue())));
            } else if (one.isArray()) {
                all.add(ids(one));
            } else {
                throw ApiError.invalid(
                        "body.prompt", "string_type", "Input should be a valid string", ApiError.shown(one));
            }
        }
        return all;
    }

    private static ApiError noPrompt() {
        return ApiError.badRequest(
                "prompt", "Either prompt or prompt_embeds must be provided and non-empty. (parameter=prompt)");
    }

    private static Tokens ids(JsonNode array) throws ApiError {
        int[] ids = new int[array.size()];
        for (int i = 0; i < ids.length; i++) {
            JsonNode id = array.get(i);
            if (!id.isIntegralNumber() || !id.canConvertToInt() || id.intValue() < 0) {
                throw ApiError.invalid(
                        "body.prompt", "int_type", "Input should be a valid integer", ApiError.shown(id));
            }
            ids[i] = id.intValue();
        }
        return notEmpty(Tokens.of(ids));
    }

    private static Tokens notEmpty(Tokens tokens) throws ApiError {
        if (tokens.size() == 0) {
            throw ApiError.badRequest("prompt", "The decoder prompt cannot be empty");
        }
        return tokens;
    }

    /** The messages through a ChatML template; what a content part holds besides text counts with its JSON text. */
    static Tokens chat(JsonNode body) throws ApiError {
        JsonNode messages = body.path("messages");
        if (!messages.isArray()) {
            throw messages.isMissingNode()
                    ? ApiError.invalid("body.messages", "missing", "Field required", ApiError.shown(body))
                    : ApiError.invalid(
                            "body.messages", "list_type", "Input should be a valid list", ApiError.shown(messages));
        }
        StringBuilder text = new StringBuilder();
        if (body.hasNonNull("tools")) {
            text.append("<|im_start|>system\n").append(body.path("tools")).append("<|im_end|>\n");
        }
        for (JsonNode message : messages) {
            text.append("<|im_start|>")
                    .append(message.path("role").asString("user"))
                    .append('\n');
            content(message.path("content"), text);
            text.append("<|im_end|>\n");
        }
        if (body.path("add_generation_prompt").asBoolean(true)) {
            text.append("<|im_start|>assistant\n");
        }
        return notEmpty(Tokens.of(text));
    }

    private static void content(JsonNode content, StringBuilder into) {
        if (content.isString()) {
            into.append(content.stringValue());
            return;
        }
        for (JsonNode part : content) {
            into.append(part.path("text").isString() ? part.path("text").stringValue() : part.toString());
        }
    }
}
