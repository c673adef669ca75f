package dev.plainsail.e2e.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.lists;
import static org.quicktheories.generators.SourceDSL.strings;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CommandLineTest {
    private static EngineSettings parse(String line) throws Exception {
        return VllmArguments.parse(List.of(line.split(" ")), Map.of());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "m --max-num-seqs 7",
                "m --max-num-seqs=7",
                "m --max_num_seqs 7",
                "m --max_num_seqs=7",
                "m --max-num-seqs 9 --max-num-seqs 7",
                "m --max-num-se 7",
                "--max-num-seqs 7 m",
                "--model m --max-num-seqs 7",
            })
    void aFlagHasManySpellings(String line) throws Exception {
        EngineSettings settings = parse(line);
        assertThat(settings.limits().maxSequences()).isEqualTo(7);
        assertThat(settings.model().names()).containsExactly("m");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "m -tp 2 -pp 2 -dp 2 -ep --enable-expert-parallel",
                "m -tp=2 --data-parallel-size-local 1 --nnodes 2 --node-rank 1 --master-addr 127.0.0.1 --headless",
                "m --dtype float32 --enforce-eager --trust-remote-code --no-enable-prefix-caching --gpu-memory-utilization 0.9",
                "m --kv-transfer-config {\"kv_connector\":\"NixlConnector\",\"kv_role\":\"kv_both\"}",
                "m --kv-transfer-config.kv_connector NixlConnector --kv-events-config {\"enable_kv_cache_events\":true}",
                "m -O3 --enable-lora --max-loras 2 --lora-modules a=/x b=/y",
            })
    void vllmsFlagsAreAccepted(String line) throws Exception {
        assertThat(parse(line).model().root()).isEqualTo("m");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "m --foo | unrecognized arguments: --foo",
                "m n | unrecognized arguments: n",
                "m --foo --bar=1 x | unrecognized arguments: --foo --bar=1 x",
                "m --no-headless | unrecognized arguments: --no-headless",
                "m --disable-log-requests | unrecognized arguments: --disable-log-requests",
                "m --port | argument --port: expected one argument",
                "m --port x | argument --port: invalid int value: 'x'",
                "m --dtype foo | argument --dtype: invalid choice: 'foo' (choose from 'auto', 'bfloat16', 'float', 'float16', 'float32', 'half')",
                "m --enforce-eager=1 | argument --enforce-eager/--no-enforce-eager: ignored explicit argument '1'",
                "m -tp x | argument --tensor-parallel-size/-tp: invalid int value: 'x'",
                "m --served-model-name | argument --served-model-name: expected at least one argument",
                "m --kv-transfer-config nojson | argument --kv-transfer-config: Value nojson cannot be converted to JSON.",
                "m --ssl-keyfile k.pem | To enable SSL, both --ssl-certfile and --ssl-keyfile are needed",
            })
    void mistakesAreWordedAsByVllm(String line, String message) {
        assertThatThrownBy(() -> parse(line)).hasMessage(message);
    }

    @Test
    void anAmbiguousBeginningIsTold() {
        assertThatThrownBy(() -> parse("m --data-parallel-r 1"))
                .hasMessage(
                        "ambiguous option: --data-parallel-r could match --data-parallel-rank, --data-parallel-rpc-port");
    }

    @Test
    void severalValuesUpToTheNextFlag() throws Exception {
        EngineSettings settings =
                parse("m --served-model-name a b --api-key k --lora-modules x=/p {\"name\":\"y\",\"path\":\"/q\"}");
        assertThat(settings.model().names()).containsExactly("a", "b");
        assertThat(settings.model().adapters()).isEqualTo(Map.of("x", "/p", "y", "/q"));
        assertThat(settings.apiKeys()).containsExactly("k");
    }

    @ParameterizedTest
    @CsvSource({"1k,1000", "1K,1024", "2.5k,2500", "16384,16384", "-1,32768", "auto,32768"})
    void lengthsMayBeShortened(String text, int expected) throws Exception {
        assertThat(parse("m --max-model-len " + text).model().maxLength()).isEqualTo(expected);
    }

    @Test
    void ourOwnFlagsAreAlsoVariablesAndTheFlagWins() throws Exception {
        Map<String, String> environment = Map.of("SIM_TIME_FACTOR", "10", "SIM_START_DELAY", "2.5");
        EngineSettings settings = VllmArguments.parse(List.of("m", "--sim-time-factor", "20"), environment);
        assertThat(settings.time().factor()).isEqualTo(20);
        assertThat(settings.startDelay()).isEqualTo(Duration.ofMillis(2500));
        assertThatThrownBy(() -> VllmArguments.parse(List.of("m"), Map.of("SIM_TIME_FACTOR", "fast")))
                .hasMessageContaining("fast");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--model-path m --tp_size 2 | unrecognized arguments: --tp_size 2",
                "--model-path m --pp 2 | ambiguous option: --pp could match --pp-async-batch-depth, --pp-max-micro-batch-size, --pp-size",
                "--model-path m --served-model-name a b | unrecognized arguments: b",
                "--model-path m --tp x | argument --tp-size/--tensor-parallel-size: invalid int value: 'x'",
                "--tp 2 | the following arguments are required: --model-path/--model",
            })
    void sglangsMistakesAreWordedAsBySglang(String line, String message) {
        assertThatThrownBy(() -> SglangArguments.parse(List.of(line.split(" ")), Map.of()))
                .hasMessage(message);
    }

    @Test
    void sglangsFlagsHaveItsNamesAndDefaults() throws Exception {
        String line =
                "--model-path m --tp 2 --ep 2 --dp-size 2 --context-length 4096 --page-size 16 --max-running-requests 9"
                        + " --nnodes 2 --node-rank 1 --dist-init-addr h:1 --disaggregation-mode prefill";
        EngineSettings settings = SglangArguments.parse(List.of(line.split(" ")), Map.of());
        assertThat(settings.address().getPort()).isEqualTo(30_000);
        assertThat(settings.ranks()).isEqualTo(2);
        assertThat(settings.cache().blockSize()).isEqualTo(16);
        assertThat(settings.limits().maxSequences()).isEqualTo(9);
        assertThat(settings.metrics()).isFalse();
        assertThat(settings.headless()).isTrue();
    }

    @Test
    void noWordsBreakTheParser() {
        FlagTable table = FlagTable.vllm(ArgumentReader.OWN);
        qt().withExamples(3000)
                .forAll(lists().of(strings()
                                .basicLatinAlphabet()
                                .ofLengthBetween(0, 12)
                                .map(s -> s.contains("a") ? "--" + s : s))
                        .ofSizeBetween(0, 6))
                .checkAssert(words -> {
                    CommandLine line = CommandLine.parse(table, words);
                    assertThat(line.positional().size()).isLessThanOrEqualTo(words.size());
                });
    }
}
