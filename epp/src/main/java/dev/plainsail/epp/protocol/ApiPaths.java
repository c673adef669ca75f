package dev.plainsail.epp.protocol;

import java.util.Set;

/** The paths of the inference APIs whose bodies are JSON objects; a body there that is none is refused, not passed on. */
final class ApiPaths {
    private static final Set<String> JSON = Set.of(
            "chat/completions",
            "completions",
            "embeddings",
            "responses",
            "messages",
            "messages/count_tokens",
            "v1/generate",
            "generate",
            "tokenize",
            "rerank",
            "score",
            "pooling",
            "classify");

    private ApiPaths() {}

    /** Whether a path, which may have a prefix and a query, is one of them. */
    static boolean isJsonApi(String path) {
        int query = path.indexOf('?');
        String plain = query < 0 ? path : path.substring(0, query);
        int last = plain.lastIndexOf('/');
        if (last < 0) {
            return false;
        }
        if (JSON.contains(plain.substring(last + 1))) {
            return true;
        }
        int before = plain.lastIndexOf('/', last - 1);
        return before >= 0 && JSON.contains(plain.substring(before + 1));
    }
}
