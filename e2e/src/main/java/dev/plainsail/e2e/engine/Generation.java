package dev.plainsail.e2e.engine;

import dev.plainsail.e2e.engine.EngineSettings.Model;
import dev.plainsail.e2e.engine.Sequence.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A request for text, read and checked: what to compute and how to answer.
 *
 * @param model as the client named it
 * @param tasks one for each prompt and choice; a choice's index is its place here
 * @param promptTokens of all prompts together, each counted once however many choices it has
 */
record Generation(
        boolean chat, String model, List<Task> tasks, int promptTokens, boolean stream, boolean includeUsage) {

    /** @throws ApiError with what vLLM would answer */
    static Generation read(JsonNode body, boolean chat, Model served) throws ApiError {
        return new Reader(body, chat, served).read();
    }

    private record Reader(JsonNode body, boolean chat, Model served) {
        Generation read() throws ApiError {
            if (!body.isObject()) {
                throw ApiError.invalid(
                        "body", "model_attributes_type", "Input should be a valid dictionary", body.toString());
            }
            String named = body.path("model").isString()
                    ? body.path("model").stringValue()
                    : served.names().getFirst();
            boolean stream = flag("stream", false);
            JsonNode options = body.path("stream_options");
            if (options.isObject() && !stream) {
                throw ApiError.badRequest("stream_options", "Stream options can only be defined when `stream=True`.");
            }
            List<Tokens> prompts = chat ? List.of(Prompts.chat(body)) : Prompts.plain(body);
            String adapter = adapter(named);
            int choices = number("n").orElse(1);
            if (choices < 1) {
                throw ApiError.badRequest("n", "n must be at least 1, got " + choices + ".");
            }
            List<Task> tasks = new ArrayList<>();
            for (Tokens prompt : prompts) {
                for (int choice = 0; choice < choices; choice++) {
                    tasks.add(task(prompt, adapter, choice));
                }
            }
            return new Generation(
                    chat,
                    named,
                    tasks,
                    prompts.stream().mapToInt(prompt -> prompt.size()).sum(),
                    stream,
                    options.path("include_usage").asBoolean(false));
        }

        /** The adapter of that name, or null for the model itself. */
        private @Nullable String adapter(String named) throws ApiError {
            if (served.names().contains(named)) {
                return null;
            }
            if (served.adapters().containsKey(named)) {
                return named;
            }
            throw new ApiError(
                    404,
                    "NotFoundError",
                    "model",
                    "The model `" + named + "` does not exist. Valid aliases: " + String.join(", ", served.names())
                            + ".");
        }

        private Task task(Tokens prompt, @Nullable String adapter, int choice) throws ApiError {
            int maxTokens = maxTokens(prompt.size());
            long seed = prompt.hash(number("seed").orElse(0) * 31L + choice);
            int natural = flag("ignore_eos", false)
                    ? Integer.MAX_VALUE
                    : Math.max(Words.naturalLength(seed), number("min_tokens").orElse(0));
            String salt =
                    body.path("cache_salt").isString() ? body.path("cache_salt").stringValue() : null;
            return new Task(prompt, adapter, salt, seed, natural, maxTokens);
        }

        private int maxTokens(int promptTokens) throws ApiError {
            int max = served.maxLength();
            String name = chat && body.hasNonNull("max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
            Optional<Integer> asked = number(name);
            if (asked.isPresent() && asked.get() > max) {
                throw ApiError.badRequest(
                        name,
                        name + "=" + asked.get() + " cannot be greater than max_model_len=" + max
                                + ". Please request fewer output tokens. (parameter=" + name + ", value=" + asked.get()
                                + ")");
            }
            if (asked.isPresent() && asked.get() < 1) {
                throw ApiError.badRequest("max_tokens", "max_tokens must be at least 1, got " + asked.get() + ".");
            }
            int room = max - promptTokens;
            if (room < asked.orElse(1)) {
                throw tooLong(promptTokens, asked.orElse(0), max);
            }
            return asked.orElse(chat ? room : Math.min(16, room));
        }

        private static ApiError tooLong(int promptTokens, int asked, int max) {
            String why = asked > 0 && promptTokens < max
                    ? ", for a total of at least " + (promptTokens + asked)
                            + " tokens. Please reduce the length of the input prompt"
                            + " or the number of requested output tokens."
                    : ", which exceeds this limit even without any output tokens. Please reduce the length of the input prompt.";
            return ApiError.badRequest(
                    "input_tokens",
                    "This model's maximum context length is " + max + " tokens. However, your prompt contains "
                            + promptTokens + " input tokens" + why + " (parameter=input_tokens, value=" + promptTokens
                            + ")");
        }

        private Optional<Integer> number(String name) throws ApiError {
            JsonNode node = body.path(name);
            if (node.isMissingNode() || node.isNull()) {
                return Optional.empty();
            }
            if (!node.canConvertToInt() || !node.isIntegralNumber()) {
                throw ApiError.invalid(
                        "body." + name,
                        "int_parsing",
                        "Input should be a valid integer, unable to parse string as an integer",
                        node.isString() ? "'" + node.stringValue() + "'" : node.toString());
            }
            return Optional.of(node.intValue());
        }

        private boolean flag(String name, boolean otherwise) throws ApiError {
            JsonNode node = body.path(name);
            if (node.isMissingNode() || node.isNull()) {
                return otherwise;
            }
            if (!node.isBoolean()) {
                throw ApiError.invalid(
                        "body." + name,
                        "bool_parsing",
                        "Input should be a valid boolean, unable to interpret input",
                        node.isString() ? "'" + node.stringValue() + "'" : node.toString());
            }
            return node.booleanValue();
        }
    }
}
