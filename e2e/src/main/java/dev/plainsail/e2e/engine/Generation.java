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
 * @param choices how many each prompt gets
 * @param promptTokens of all prompts together, each counted once however many choices it has
 */
record Generation(
        boolean chat,
        String model,
        List<Task> tasks,
        int choices,
        int promptTokens,
        boolean stream,
        boolean includeUsage) {

    /** @throws ApiError with what vLLM would answer */
    static Generation read(JsonNode body, boolean chat, Model served) throws ApiError {
        return new Reader(body, chat, served).read();
    }

    private record Reader(JsonNode body, boolean chat, Model served) {
        Generation read() throws ApiError {
            if (!body.isObject()) {
                throw ApiError.invalid(
                        "body",
                        "model_attributes_type",
                        "Input should be a valid dictionary or object to extract fields from",
                        ApiError.shown(body));
            }
            String named = body.path("model").isString()
                    ? body.path("model").stringValue()
                    : served.names().getFirst();
            boolean stream = flag("stream", false);
            JsonNode options = body.path("stream_options");
            if (options.isObject() && !stream) {
                throw ApiError.badRequest(
                        "stream_options",
                        "Stream options can only be defined when `stream=True`. (parameter=stream_options)");
            }
            List<Tokens> prompts = chat ? List.of(Prompts.chat(body)) : Prompts.plain(body);
            String adapter = adapter(named);
            int choices = number("n").orElse(1);
            if (choices < 1) {
                throw ApiError.badRequest(null, "n must be at least 1, got " + choices + ".");
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
                    choices,
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
                throw ApiError.badRequest(
                        "max_tokens",
                        "max_tokens must be at least 1, got " + asked.get() + ". (parameter=max_tokens, value="
                                + asked.get() + ")");
            }
            int room = max - promptTokens;
            if (room < 1) {
                throw ApiError.badRequest(
                        "input_tokens",
                        "This model's maximum context length is " + max + " tokens. However, your prompt contains "
                                + promptTokens
                                + " input tokens, which exceeds this limit even without any output tokens. Please reduce the length"
                                + " of the input prompt. (parameter=input_tokens, value=" + promptTokens + ")");
            }
            return Math.min(asked.orElse(chat ? room : 16), room);
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
                        ApiError.shown(node));
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
                        ApiError.shown(node));
            }
            return node.booleanValue();
        }
    }
}
