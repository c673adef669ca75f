package dev.plainsail.epp.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BodyReaderTest {
    @Test
    void readsAChatRequest() {
        BodyFacts facts = read("""
                {"model": "m", "stream": true, "max_tokens": 16,
                 "messages": [{"role": "user", "content": "hello"}], "temperature": 0.7}""");
        assertThat(facts.model()).isEqualTo("m");
        assertThat(facts.streamed()).isTrue();
        assertThat(facts.maxTokens()).isEqualTo(16);
        assertThat(facts.promptTokens()).isEqualTo(3);
        assertThat(facts.prefix().size()).isEqualTo(1);
    }

    @Test
    void theOrderOfFieldsTheSpacingAndTheEscapesMakeNoDifference() {
        String text = "grüße \uD83D\uDE00 \"quoted\"\n" + "word ".repeat(300);
        String escaped = "gr\\u00fc\\u00dfe \\ud83d\\ude00 \\\"quoted\\\"\\n" + "word ".repeat(300);
        BodyFacts plain = read("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":"
                + Answers.quoted(text).replace("\\ud83d\\ude00", "\uD83D\uDE00") + "}]}");
        BodyFacts other = read("{ \"messages\" : [ { \"role\" : \"user\" , \"content\" : \"" + escaped
                + "\" } ] , \"model\" : \"m\" }");
        assertThat(plain.prefix().size()).isGreaterThan(5);
        assertThat(other.prefix()).isEqualTo(plain.prefix());
    }

    @Test
    void aLongerConversationKeepsThePrefixOfTheShorter() {
        String first = "{\"role\":\"user\",\"content\":\"" + "a".repeat(1000) + "\"}";
        BodyFacts shorter = read("{\"model\":\"m\",\"messages\":[" + first + "]}");
        BodyFacts longer = read("{\"model\":\"m\",\"messages\":[" + first
                + ",{\"role\":\"assistant\",\"content\":\"b\"},{\"role\":\"user\",\"content\":\"c\"}]}");
        assertThat(common(shorter, longer)).isEqualTo(3);
    }

    @Test
    void modelSaltAdapterAndToolsSeparatePrompts() {
        String messages = "\"messages\":[{\"role\":\"user\",\"content\":\"" + "x".repeat(600) + "\"}]";
        BodyFacts base = read("{\"model\":\"m\"," + messages + "}");
        assertThat(common(base, read("{\"model\":\"n\"," + messages + "}"))).isZero();
        assertThat(common(base, read("{\"model\":\"m\",\"cache_salt\":\"s\"," + messages + "}")))
                .isZero();
        assertThat(common(base, read("{" + messages + ",\"lora_path\":\"a\",\"model\":\"m\"}")))
                .isZero();
        assertThat(common(base, read("{\"model\":\"m\"," + messages + ",\"tools\":[{\"type\":\"function\"}]}")))
                .isZero();
    }

    @Test
    void epp01_imagesCountByTheirDataAndTheirOrder() {
        String a = "{\"type\":\"image_url\",\"image_url\":{\"url\":\"http://img/a.png\"}}";
        String b = "{\"type\":\"image_url\",\"image_url\":{\"url\":\"http://img/b.png\"}}";
        BodyFacts ab = parts(a + "," + b);
        assertThat(ab.prefix().size()).isGreaterThan(6);
        assertThat(ab.promptTokens()).isGreaterThan(2 * PromptText.MEDIA_TOKENS);
        assertThat(parts(a + "," + b).prefix()).isEqualTo(ab.prefix());
        assertThat(common(ab, parts(b + "," + a))).isZero();
        assertThat(common(ab, parts(a + "," + a))).isEqualTo(3);
        BodyFacts text = parts("{\"type\":\"text\",\"text\":\"" + "t".repeat(600) + "\"}");
        assertThat(text.prefix().size()).isEqualTo(3);
        BodyFacts audio = parts("{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"AA==\",\"format\":\"wav\"}}");
        assertThat(audio.promptTokens()).isGreaterThan(PromptText.MEDIA_TOKENS);
    }

    private static BodyFacts parts(String parts) {
        return read("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":[" + parts + "]}]}");
    }

    @Test
    void cacheMarksOfAnthropicsFormatDoNotBreakAPrefix() {
        String text = "\"type\":\"text\",\"text\":\"" + "t".repeat(600) + "\"";
        BodyFacts marked = parts("{" + text + ",\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":[1]}}");
        assertThat(marked.prefix()).isEqualTo(parts("{" + text + "}").prefix());
    }

    @Test
    void tokenIdsAreCountedExactlyAndHashed() {
        StringBuilder ids = new StringBuilder("1");
        for (int i = 2; i <= 200; i++) {
            ids.append(',').append(i);
        }
        BodyFacts facts = read("{\"model\":\"m\",\"prompt\":[" + ids + "]}");
        assertThat(facts.promptTokens()).isEqualTo(200);
        assertThat(facts.prefix().size()).isEqualTo(4);
        assertThat(read("{\"input_ids\":[[" + ids + "]],\"sampling_params\":{\"max_new_tokens\":9},\"model\":\"m\"}"))
                .satisfies(generate -> {
                    assertThat(generate.prefix()).isEqualTo(facts.prefix());
                    assertThat(generate.maxTokens()).isEqualTo(9);
                });
    }

    @Test
    void aFieldThatIsThereTwiceCountsAsTheLastOne() {
        BodyFacts facts = read(
                "{\"model\":\"a\",\"prompt\":\"x\",\"stream\":true,\"model\":\"b\",\"prompt\":\"y\",\"stream\":false}");
        assertThat(facts.model()).isEqualTo("b");
        assertThat(facts.streamed()).isFalse();
        assertThat(facts.modelSpans()).hasSize(2);
        assertThat(facts.prefix())
                .isEqualTo(read("{\"model\":\"b\",\"prompt\":\"y\"}").prefix());
    }

    @Test
    void modelSpansHoldTheQuotes() {
        String body =
                "{\"prompt\":\"\\\"model\\\":\\\"no\\\"\",\"x\":{\"model\":\"inner\"}, \"model\" :  \"m\\u0061\" }";
        BodyFacts facts = read(body);
        assertThat(facts.model()).isEqualTo("ma");
        assertThat(facts.modelSpans())
                .singleElement()
                .satisfies(span -> assertThat(body.substring((int) span.from(), (int) span.to()))
                        .isEqualTo("\"m\\u0061\""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"model\":|the text ends too early, at byte 9",
                "not json|the body must be a JSON object",
                "[]|the body must be a JSON object, not a list",
                "\"m\"|the body must be a JSON object, not a string",
                "null|the body must be a JSON object",
                "{\"model\":\"m\"}{\"x\":1}|expected nothing more behind the value",
                "{\"model\":5}|model: must be a string",
                "{\"model\":[\"m\"]}|model: must be a string",
                "{\"model\":\"\"}|model: must not be empty",
                "{\"model\":\"a\tb\"}|a control character in a string",
                "{\"a\":1,}|expected a field name in double quotes",
                "{\"a\":\"\\x\"}|an unknown escape",
                "{\"a\":\"\\u12g4\"}|four hex digits",
                "{\"a\":[1}|expected a closing bracket"
            })
    void epp45_whatCannotBeReadIsToldWithItsPlace(String body, String problem) {
        assertThat(problem(body)).contains(problem);
    }

    @Test
    void epp45_utf16IsRefusedAByteOrderMarkIsNot() {
        assertThat(problemOf("{\"model\":\"m\"}".getBytes(StandardCharsets.UTF_16)))
                .contains("expected");
        assertThat(problem("\uFEFF{\"model\":\"m\"}")).isNull();
        assertThat(problem("{\"model\":null,\"x\":NaN}")).isNull();
        assertThat(problem("[".repeat(20_000))).contains("the body must be a JSON object");
        assertThat(problem("{\"x\":" + "[".repeat(20_000))).contains("nested deeper than 512");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "/v1/completions|{\"model\":\"m\",\"prompt\":\"hi there\"}|2",
                "/v1/completions|{\"model\":\"m\",\"prompt\":[\"hi\",\"there\"]}|2",
                "/v1/chat/completions|{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}|2",
                "/team-a/v1/chat/completions?x=1|{\"model\":\"m\",\"messages\":[]}|0",
                "/v1/embeddings|{\"model\":\"m\",\"input\":[\"hi\",\"there\"]}|2",
                "/v1/responses|{\"model\":\"m\",\"instructions\":\"be kind\",\"input\":[{\"role\":\"user\",\"content\":\"hi\"}]}|4",
                "/v1/messages|{\"model\":\"m\",\"system\":[{\"type\":\"text\",\"text\":\"be kind\"}],\"messages\":[]}|3",
                "/tokenize|{\"model\":\"m\",\"prompt\":\"hi\"}|1",
                "/v1/rerank|{\"model\":\"m\",\"query\":\"q\",\"documents\":[\"a\"]}|0",
                "/v1/score|{\"model\":\"m\",\"text_1\":\"a\",\"text_2\":\"b\"}|0",
                "/pooling|{\"model\":\"m\",\"input\":[1,2,3]}|3",
                "/generate|{\"text\":\"hi\",\"sampling_params\":{\"max_new_tokens\":3}}|1",
                "/inference/v1/generate|{\"model\":\"m\",\"token_ids\":[1,2],\"sampling_params\":{\"max_tokens\":3}}|2"
            })
    void epp11_everyShapeOfTheEnginesIsRead(String path, String body, int promptTokens) {
        assertThat(ApiPaths.isJsonApi(path)).isTrue();
        BodyFacts facts = read(body);
        assertThat(facts.model()).isEqualTo(path.equals("/generate") ? null : "m");
        assertThat(facts.promptTokens()).isEqualTo(promptTokens);
        assertThat(facts.maxTokens()).isEqualTo(path.endsWith("generate") ? 3 : -1);
    }

    @Test
    void otherPathsAreNotHeldToTheirBody() {
        assertThat(ApiPaths.isJsonApi("/v1/audio/transcriptions")).isFalse();
        assertThat(ApiPaths.isJsonApi("/v1/models")).isFalse();
        assertThat(ApiPaths.isJsonApi("")).isFalse();
        assertThat(ApiPaths.isJsonApi("/")).isFalse();
    }

    @Test
    void anyCutGivesTheSameFacts() {
        String body = """
                {"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],
                 "messages":[{"role":"system","content":"sché \\ud83d\\ude00 \\ud83d x"},
                  {"role":"user","content":[{"type":"text","text":"hi\\n"},{"type":"image_url","image_url":{"url":"data:AAA"}}]},
                  {"role":"assistant","tool_calls":[{"id":"1","function":{"arguments":"{\\"a\\":1}"}}],"content":null}],
                 "model":"m/ä","cache_salt":"z","max_completion_tokens":77,"stream":true,"n":-1.5e+3}""";
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        BodyFacts whole = read(body);
        assertThat(whole.model()).isEqualTo("m/ä");
        for (int cut = 0; cut <= bytes.length; cut++) {
            BodyReader reader = new BodyReader(2048);
            reader.read(bytes, 0, cut);
            reader.read(bytes, cut, bytes.length);
            reader.end();
            assertThat(reader.facts()).as("cut at %d", cut).isEqualTo(whole);
        }
        SplittableRandom random = new SplittableRandom(1);
        BodyReader reader = new BodyReader(2048);
        for (int round = 0; round < 200; round++) {
            reader.reset();
            int at = 0;
            while (at < bytes.length) {
                int next = Math.min(bytes.length, at + 1 + random.nextInt(9));
                byte[] elsewhere = new byte[next - at + 5];
                System.arraycopy(bytes, at, elsewhere, 3, next - at);
                reader.read(elsewhere, 3, 3 + next - at);
                at = next;
            }
            reader.end();
            assertThat(reader.facts()).isEqualTo(whole);
        }
    }

    static int common(BodyFacts a, BodyFacts b) {
        int i = 0;
        while (i < a.prefix().size()
                && i < b.prefix().size()
                && a.prefix().at(i) == b.prefix().at(i)) {
            i++;
        }
        return i;
    }

    private static BodyFacts read(String body) {
        BodyReader reader = new BodyReader(2048);
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        reader.read(bytes, 0, bytes.length);
        reader.end();
        assertThat(reader.problem()).isNull();
        return reader.facts();
    }

    private static @Nullable String problem(String body) {
        return problemOf(body.getBytes(StandardCharsets.UTF_8));
    }

    private static @Nullable String problemOf(byte[] bytes) {
        BodyReader reader = new BodyReader(2048);
        reader.read(bytes, 0, bytes.length);
        reader.end();
        return reader.problem();
    }
}
