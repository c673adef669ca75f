package dev.plainsail.epp.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.epp.routing.TokenUsage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class UsageReaderTest {
    private static final Path ANSWERS = Path.of("src/test/resources/engine-answers");

    private static TokenUsage read(String... pieces) {
        UsageReader reader = new UsageReader();
        for (String piece : pieces) {
            byte[] bytes = ("##" + piece + "##").getBytes(StandardCharsets.UTF_8);
            reader.read(bytes, 2, bytes.length - 2);
        }
        return reader.usage();
    }

    private static void assertReadAtEveryCut(String text, TokenUsage usage) {
        for (int cut = 0; cut <= text.length(); cut++) {
            assertThat(read(text.substring(0, cut), text.substring(cut)))
                    .as("cut at %d", cut)
                    .isEqualTo(usage);
        }
        assertThat(read(text.split(""))).isEqualTo(usage);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n"})
    void epp09UsageIsReadWhereverTheStreamIsCut(String line) {
        assertReadAtEveryCut("""
                data: {"id":"1","choices":[{"delta":{"content":"x"}}],"usage":null}

                data: {"id":"1","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}

                data: [DONE]

                """.replace("\n", line), new TokenUsage(7, 2, -1));
    }

    @Test
    void epp09ANullAfterTheCountsDoesNotResetThem() {
        assertThat(read("{\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}", "{\"usage\":null}"))
                .isEqualTo(new TokenUsage(7, 2, -1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"usage\":\"oops\"}",
                "{\"usage\":{\"prompt_tokens\":\"1024\"}}",
                "{\"usage\":{\"prompt_tokens\":1.5e3,\"completion_tokens\":null}}",
                "{\"usage\":{\"prompt_tokens_details\":0}}",
                "{\"usage\":{\"other\":{\"prompt_tokens\":5}}}",
                "{\"usage\":{\"prompt_tokens\":99999999999}}",
                "{\"usage\":[]}",
                "{\"usage\":{bad",
                "{\"usage\"",
                "[]",
                ""
            })
    void epp19OddTypesAreUnknown(String answer) {
        assertThat(read(answer)).isEqualTo(TokenUsage.UNKNOWN);
    }

    @Test
    void whatFollowsABrokenObjectIsStillRead() {
        assertThat(read("{\"usage\":{bad}} {\"usage\": {\"prompt_tokens\" : 3, \"completion_tokens\": 4}}"))
                .isEqualTo(new TokenUsage(3, 4, -1));
    }

    @Test
    void epp49OfAnthropicsEventsTheFirstTellsThePromptAndTheLastTheAnswer() {
        String start = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":"
                + "{\"input_tokens\":1000,\"cache_read_input_tokens\":800,\"output_tokens\":1}}}\n\n";
        String content = "event: content_block_delta\ndata: {\"delta\":{\"text\":\"a\"}}\n\n".repeat(20);
        String end = "event: message_delta\ndata: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":50}}\n\n";
        assertReadAtEveryCut(start + content + end, new TokenUsage(1000, 50, 800));
        assertThat(read(start, content, end).total()).isEqualTo(1050);
    }

    @Test
    void textThatLooksLikeUsageIsText() {
        assertThat(read("{\"content\":\"{\\\"usage\\\":{\\\"prompt_tokens\\\":5}}\",\"logprobs\":[\"usage\",\"x\"]}"))
                .isEqualTo(TokenUsage.UNKNOWN);
    }

    @Test
    void cachedTokensAreReadFromTheDetails() {
        assertThat(read("{\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":1,"
                        + "\"prompt_tokens_details\":{\"cached_tokens\":4}}}"))
                .isEqualTo(new TokenUsage(9, 1, 4));
    }

    @Test
    void realAnswersOfAnEngineAreRead() throws IOException {
        assertReadAtEveryCut(Files.readString(ANSWERS.resolve("vllm-0.32-chat-stream.txt")), new TokenUsage(11, 4, -1));
        assertThat(read(Files.readString(ANSWERS.resolve("vllm-0.32-completion.json"))))
                .satisfies(usage -> assertThat(usage.total()).isPositive());
    }
}
