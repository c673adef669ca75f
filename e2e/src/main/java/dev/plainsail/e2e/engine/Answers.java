package dev.plainsail.e2e.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** vLLM's answers as JSON, field for field as captured from version 0.32. */
final class Answers {
    static final String VERSION = "0.32.0";
    private static final String FINGERPRINT = "vllm-" + VERSION + "-simulated";
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    /** One finished choice. */
    record Choice(String text, String finishReason) {}

    /** @param cachedTokens null when the engine does not tell */
    record Usage(
            int promptTokens,
            int completionTokens,
            @Nullable Integer cachedTokens) {}

    private final String id;
    private final String model;
    private final long created;
    private final boolean chat;

    Answers(String id, String model, long created, boolean chat) {
        this.id = id;
        this.model = model;
        this.created = created;
        this.chat = chat;
    }

    static byte[] bytes(Object json) {
        return JsonMapper.shared().writeValueAsBytes(json);
    }

    private ObjectNode head(String kind) {
        return JSON.objectNode()
                .put("id", id)
                .put("object", kind)
                .put("created", created)
                .put("model", model);
    }

    ObjectNode whole(List<Choice> choices, Usage usage) {
        ObjectNode answer = head(chat ? "chat.completion" : "text_completion");
        ArrayNode array = answer.putArray("choices");
        for (int i = 0; i < choices.size(); i++) {
            array.add(chat ? chatChoice(i, choices.get(i)) : textChoice(i, choices.get(i)));
        }
        answer.putNull("service_tier").put("system_fingerprint", FINGERPRINT).set("usage", wholeUsage(usage));
        if (chat) {
            nulls(answer, "prompt_logprobs", "prompt_token_ids", "prompt_text");
        }
        return nulls(answer, "kv_transfer_params", "ec_transfer_params", "metrics");
    }

    private static ObjectNode textChoice(int index, Choice choice) {
        ObjectNode node = JSON.objectNode().put("index", index).put("text", choice.text());
        node.putNull("logprobs").put("finish_reason", choice.finishReason());
        return nulls(node, "stop_reason", "token_ids", "prompt_logprobs", "prompt_token_ids", "routed_experts");
    }

    private static ObjectNode chatChoice(int index, Choice choice) {
        ObjectNode node = JSON.objectNode().put("index", index);
        ObjectNode message = node.putObject("message").put("role", "assistant").put("content", choice.text());
        nulls(message, "refusal", "annotations", "audio", "function_call", "reasoning");
        node.putNull("logprobs").put("finish_reason", choice.finishReason());
        return nulls(node, "stop_reason", "token_ids", "routed_experts");
    }

    private ObjectNode wholeUsage(Usage usage) {
        ObjectNode node = counts(usage);
        if (usage.cachedTokens() == null) {
            return nulls(node, "prompt_tokens_details", "completion_tokens_details");
        }
        ObjectNode details = node.putObject("prompt_tokens_details").put("cached_tokens", usage.cachedTokens());
        if (chat) {
            details.put("created_cache_tokens", 0);
        }
        nulls(
                details,
                chat ? new String[] {"multimodal_tokens"} : new String[] {"created_cache_tokens", "multimodal_tokens"});
        return nulls(node, "completion_tokens_details");
    }

    private static ObjectNode counts(Usage usage) {
        return JSON.objectNode()
                .put("prompt_tokens", usage.promptTokens())
                .put("total_tokens", usage.promptTokens() + usage.completionTokens())
                .put("completion_tokens", usage.completionTokens());
    }

    /** The first piece of a chat choice: who speaks. */
    ObjectNode role(int index) {
        ObjectNode piece = head("chat.completion.chunk");
        ObjectNode choice = piece.putArray("choices").addObject().put("index", index);
        choice.putObject("delta").put("role", "assistant").put("content", "");
        nulls(choice, "logprobs", "finish_reason");
        return nulls(piece, "prompt_token_ids", "prompt_text");
    }

    ObjectNode piece(int index, String text, @Nullable String finishReason) {
        ObjectNode piece = head(chat ? "chat.completion.chunk" : "text_completion");
        ObjectNode choice = piece.putArray("choices").addObject().put("index", index);
        if (chat) {
            choice.putObject("delta").put("content", text);
        } else {
            choice.put("text", text);
        }
        choice.putNull("logprobs").put("finish_reason", finishReason);
        if (!chat || finishReason != null) {
            choice.putNull("stop_reason");
        }
        if (!chat) {
            choice.putNull("prompt_token_ids");
        }
        choice.putNull("token_ids");
        return piece;
    }

    /** The last piece, asked for by include_usage. */
    ObjectNode usage(Usage usage) {
        ObjectNode piece = head(chat ? "chat.completion.chunk" : "text_completion");
        piece.putArray("choices");
        ObjectNode counts = counts(usage);
        if (usage.cachedTokens() != null) {
            ObjectNode details = counts.putObject("prompt_tokens_details").put("cached_tokens", usage.cachedTokens());
            if (chat) {
                details.put("created_cache_tokens", 0);
            }
        }
        piece.set("usage", counts);
        return piece.put("system_fingerprint", FINGERPRINT);
    }

    private static ObjectNode nulls(ObjectNode node, String... names) {
        for (String name : names) {
            node.putNull(name);
        }
        return node;
    }
}
