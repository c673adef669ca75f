package dev.plainsail.epp.configuration;

/** The token producer: here always the estimate of four bytes a token. */
final class TokenReader {
    private TokenReader() {}

    static Handler read(Parameters p) {
        for (String backend : new String[] {"vllm", "udsTokenizerConfig"}) {
            if (p.has(backend)) {
                p.problem(
                        backend, "prompts are not tokenized by a service here; remove it, four bytes count as a token");
            }
        }
        p.accepted("estimate", "modelName", "vllm", "udsTokenizerConfig");
        return Handler.NOTHING;
    }
}
