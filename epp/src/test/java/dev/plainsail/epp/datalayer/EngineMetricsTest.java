package dev.plainsail.epp.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import dev.plainsail.epp.datalayer.EngineReport.Counters;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class EngineMetricsTest {
    private static final EngineMetrics METRICS = new EngineMetrics(MetricSpec.KNOWN);

    @Test
    void readsABusyVllm() throws IOException {
        for (String file : List.of("vllm-0.32-running.txt", "vllm-0.32-running-whole.txt")) {
            EngineReport report = captured(file);
            assertThat(report.load().running()).isEqualTo(43);
            assertThat(report.load().waiting()).isEqualTo(5);
            assertThat(report.load().kvCacheUsed()).isEqualTo(0.0207544866316689);
            assertThat(report.load().kvTokens()).isEqualTo(1_048_576);
            assertThat(report.models()).containsExactly("tiny/llama");
            assertThat(report.counters().prefillTokens()).isEqualTo(4428);
            assertThat(report.counters().prefillSeconds()).isCloseTo(0.78, within(0.01));
            assertThat(report.counters().prefillRequests()).isEqualTo(15);
            assertThat(report.counters().computedPromptTokens()).isEqualTo(18_482);
            assertThat(report.counters().prefixQueriedTokens()).isEqualTo(22_600);
            assertThat(report.counters().prefixHitTokens()).isEqualTo(3712);
            assertThat(report.counters().firstTokens()).isEqualTo(57);
        }
    }

    @Test
    void readsEveryCapturedEngine() throws IOException {
        assertThat(captured("vllm-0.32-idle.txt").load().running()).isZero();
        assertThat(captured("vllm-0.32-after.txt").load().waiting()).isZero();
        assertThat(captured("vllm-0.24-h200.txt").load().kvBlockTokens()).isEqualTo(16);
        Load simulated = captured("llm-d-sim-busy.txt").load();
        assertThat(simulated.running()).isEqualTo(4);
        assertThat(simulated.waiting()).isEqualTo(1);
        assertThat(simulated.kvTokens()).isEqualTo(16 * 256);
    }

    @Test
    void ofSeveralAdapterLinesTheLatestIsTrue() throws IOException {
        Load.Adapters adapters = captured("vllm-0.32-lora.txt").load().adapters();
        assertThat(adapters.max()).isEqualTo(2);
        assertThat(adapters.running()).isEmpty();
        Load.Adapters busy = read("""
                        vllm:lora_requests_info{max_lora="2",running_lora_adapters="ad1",waiting_lora_adapters=""} 5
                        vllm:lora_requests_info{max_lora="2",running_lora_adapters="ad1,ad2",waiting_lora_adapters="ad3"} 6
                        """).adapters();
        assertThat(busy.running()).containsExactlyInAnyOrder("ad1", "ad2");
        assertThat(busy.waiting()).containsExactly("ad3");
    }

    @Test
    void epp05OldAndNewNameOfTheKvGauge() {
        String old = "vllm:gpu_cache_usage_perc{engine=\"0\",model_name=\"m\"} 0.10\n";
        String current = "vllm:kv_cache_usage_perc{engine=\"0\",model_name=\"m\"} 0.81\n";
        assertThat(read(old.replace("0.10", "0.81")).kvCacheUsed()).isEqualTo(0.81);
        assertThat(read(current).kvCacheUsed()).isEqualTo(0.81);
        assertThat(read(old + current).kvCacheUsed()).isEqualTo(0.81);
        assertThat(read("vllm:num_requests_running 1\n").kvCacheUsed()).isNaN();
    }

    @Test
    void epp13MissingFamiliesAreUnknownNotZero() {
        Load load = read("process_start_time_seconds 1.7e9\n");
        assertThat(load.waiting()).isNaN();
        assertThat(load.running()).isNaN();
        assertThat(load.kvTokens()).isZero();
        assertThat(read("").waiting()).isNaN();
    }

    @Test
    void epp15SeveralProcessesOfOneEngineCountOnce() {
        assertThat(read("""
                        vllm:kv_cache_usage_perc{engine="0",model_name="m",pid="271"} 0.0
                        vllm:kv_cache_usage_perc{engine="0",model_name="m",pid="273"} 0.653
                        vllm:kv_cache_usage_perc{engine="0",model_name="m",pid="274"} 0.0
                        """).kvCacheUsed()).isEqualTo(0.653);
    }

    @Test
    void severalEnginesBehindOneAddressAddUp() {
        Load load = read("""
                vllm:num_requests_running{engine="0",model_name="m"} 3
                vllm:num_requests_running{engine="1",model_name="m"} 4
                vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.2
                vllm:kv_cache_usage_perc{engine="1",model_name="m"} 0.6
                vllm:cache_config_info{engine="0",block_size="16",num_gpu_blocks="100"} 1
                vllm:cache_config_info{engine="1",block_size="16",num_gpu_blocks="100"} 1
                """);
        assertThat(load.running()).isEqualTo(7);
        assertThat(load.kvCacheUsed()).isCloseTo(0.4, within(1e-9));
        assertThat(load.kvTokens()).isEqualTo(3200);
    }

    @Test
    void epp41OddBlockSizesAreUnknown() {
        for (String odd : List.of("", "None", "0", "-4", "1e3", "99999999999")) {
            assertThat(read("vllm:cache_config_info{block_size=\"" + odd + "\",num_gpu_blocks=\"10\"} 1\n")
                            .kvBlockTokens())
                    .isZero();
        }
    }

    @Test
    void epp53SglangIsReadAndItsTensorRanksCountOnce() {
        Load load = read("""
                sglang:num_running_reqs{engine_type="unified",model_name="m",tp_rank="0",pp_rank="0"} 12
                sglang:num_running_reqs{engine_type="unified",model_name="m",tp_rank="1",pp_rank="0"} 12
                sglang:num_queue_reqs{engine_type="unified",model_name="m",tp_rank="0",pp_rank="0"} 3
                sglang:token_usage{engine_type="unified",model_name="m",tp_rank="0",pp_rank="0"} 0.42
                sglang:cache_config_info{page_size="64",num_pages="2000"} 1
                """);
        assertThat(load.running()).isEqualTo(12);
        assertThat(load.waiting()).isEqualTo(3);
        assertThat(load.kvCacheUsed()).isEqualTo(0.42);
        assertThat(load.kvTokens()).isEqualTo(128_000);
        assertThat(read("sglang:num_running_reqs{name=\"m\"} 2\n").running()).isEqualTo(2);
    }

    @Test
    void epp53DataParallelRanksOfSglangAddUp() {
        assertThat(read("""
                        sglang:num_running_reqs{model_name="m",tp_rank="0",dp_rank="0"} 5
                        sglang:num_running_reqs{model_name="m",tp_rank="0",dp_rank="1"} 6
                        """).running()).isEqualTo(11);
    }

    @Test
    void tensorRtAndTritonAreRead() {
        Load trt = read("""
                trtllm_num_requests_waiting 2
                trtllm_num_requests_running 9
                trtllm_kv_cache_utilization 0.5
                trtllm_kv_cache_tokens_per_block 32
                trtllm_kv_cache_max_blocks 1000
                """);
        assertThat(trt.waiting()).isEqualTo(2);
        assertThat(trt.kvTokens()).isEqualTo(32_000);
        Load triton = read("""
                nv_trt_llm_request_metrics{model="m",request_type="waiting",version="1"} 4
                nv_trt_llm_request_metrics{model="m",request_type="scheduled",version="1"} 6
                nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="fraction",model="m"} 0.25
                nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="tokens_per",model="m"} 64
                nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="max",model="m"} 500
                """);
        assertThat(triton.waiting()).isEqualTo(4);
        assertThat(triton.running()).isEqualTo(6);
        assertThat(triton.kvCacheUsed()).isEqualTo(0.25);
        assertThat(triton.kvTokens()).isEqualTo(32_000);
    }

    @Test
    void epp63NonsenseIsMissingAndNeverVoidsTheRest() {
        Load load = read("""
                garbage line
                vllm:kv_cache_usage_perc{model_name="m"} NaN
                vllm:num_requests_waiting{model_name="m"} +Inf
                vllm:num_requests_waiting{model_name="n"} 3 1712345678901
                vllm:num_requests_running{model_name="m"} -1
                vllm:kv_cache_usage_perc{model_name="n"} 1.7
                vllm:kv_cache_usage_perc{model_name="broken
                vllm:num_requests_running{model_name="n"} 8
                """);
        assertThat(load.kvCacheUsed()).isEqualTo(1);
        assertThat(load.waiting()).isEqualTo(3);
        assertThat(load.running()).isEqualTo(8);
    }

    @Test
    void labelValuesMayHoldEscapesAndBraces() {
        byte[] text = bytes("vllm:num_requests_running{a=\"x\\\"}\\\\ \\n\", model_name=\"m,\\\"n\\\"\",} 4");
        EngineReport report = METRICS.read(text, 0, text.length, 0);
        assertThat(report.load().running()).isEqualTo(4);
        assertThat(report.models()).containsExactly("m,\"n\"");
    }

    @Test
    void aRestartIsSeenByStartTimeOrByCountersThatWentDown() {
        Counters before = new Counters(100, 5, 1, 3, 50, 60, 10, 5);
        assertThat(before.restartedSince(before)).isFalse();
        assertThat(new Counters(101, 5, 1, 3, 50, 60, 10, 5).restartedSince(before))
                .isTrue();
        assertThat(new Counters(Double.NaN, 0, 0, 0, 0, 0, 0, 5).restartedSince(before))
                .isTrue();
        assertThat(Counters.UNKNOWN.restartedSince(before)).isFalse();
        assertThat(before.restartedSince(Counters.UNKNOWN)).isFalse();
    }

    /** Any damage to a real text: no exception, and numbers stay in their range. */
    @Test
    void damagedTextsNeverThrow() throws IOException {
        byte[] whole = bytesOf("vllm-0.32-running.txt");
        qt().withExamples(300).forAll(longs().all()).checkAssert(seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] damaged = Arrays.copyOf(whole, random.nextInt(whole.length));
            for (int i = 0; i < 20 && damaged.length > 0; i++) {
                damaged[random.nextInt(damaged.length)] = (byte) "\n{}\",=\\ x9".charAt(random.nextInt(10));
            }
            Load load = METRICS.read(damaged, 0, damaged.length, 0).load();
            assertThat(load.kvCacheUsed() < 0 || load.kvCacheUsed() > 1).isFalse();
            assertThat(load.running() < 0 || load.waiting() < 0).isFalse();
        });
    }

    @Test
    void endOfLineEqualsTheNaiveSearch() {
        qt().withExamples(500).forAll(longs().all()).checkAssert(seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] text = new byte[random.nextInt(1, 60)];
            random.nextBytes(text);
            text[random.nextInt(text.length)] = '\n';
            int from = random.nextInt(text.length);
            int naive = from;
            while (naive < text.length && text[naive] != '\n') {
                naive++;
            }
            assertThat(EngineMetrics.endOfLine(text, from, text.length)).isEqualTo(naive);
        });
    }

    @Test
    void namesOfTheUsersOwnCountBeforeBuiltInOnesAndAttributesAreKept() {
        EngineMetrics own = new EngineMetrics(Stream.concat(
                        MetricSpec.KNOWN.stream(),
                        Stream.of(
                                MetricSpec.parse("my:queue{kind=all}", Quantity.WAITING, "")
                                        .orElseThrow(),
                                MetricSpec.parse("my:temperature{where=\"core\"}", Quantity.ATTRIBUTE, "Heat")
                                        .orElseThrow()))
                .toList());
        for (String order : List.of(
                "vllm:num_requests_waiting 3\nmy:queue{kind=\"all\"} 5\nmy:queue{kind=\"some\"} 2\n",
                "my:queue{kind=\"all\"} 5\nvllm:num_requests_waiting 3\n")) {
            byte[] text = (order + "my:temperature{where=\"core\"} 71.5\nmy:temperature{where=\"edge\"} 3\n"
                            + "vllm:num_requests_running 4\n")
                    .getBytes(StandardCharsets.UTF_8);
            Load load = own.read(text, 0, text.length, 0).load();
            assertThat(load.waiting()).isEqualTo(5);
            assertThat(load.running()).as("not named by the user").isEqualTo(4);
            assertThat(load.attributes()).isEqualTo(Map.of("Heat", 71.5));
        }
        assertThat(read("my:queue{kind=\"all\"} 5\n").waiting()).isNaN();
    }

    @Test
    void aSpecIsANameWithOrWithoutLabels() {
        assertThat(MetricSpec.parse(" a:b_c ", Quantity.WAITING, "").map(MetricSpec::name))
                .hasValue("a:b_c");
        assertThat(MetricSpec.parse("a{x=1, y=\"2\"}", Quantity.WAITING, "").map(MetricSpec::labels))
                .hasValue(Map.of("x", "1", "y", "2"));
        for (String wrong : List.of("", "a b", "a{x}", "a{x=1", "1a", "a{=1}")) {
            assertThat(MetricSpec.parse(wrong, Quantity.WAITING, "")).as(wrong).isEmpty();
        }
    }

    private static Load read(String text) {
        byte[] bytes = bytes(text);
        return METRICS.read(bytes, 0, bytes.length, 0).load();
    }

    private static EngineReport captured(String file) throws IOException {
        byte[] bytes = bytesOf(file);
        return METRICS.read(bytes, 0, bytes.length, 0);
    }

    private static byte[] bytesOf(String file) throws IOException {
        try (InputStream stream = EngineMetricsTest.class.getResourceAsStream("/engine-metrics/" + file)) {
            return stream == null ? new byte[0] : stream.readAllBytes();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void labelsThatASpecAsksForMustMatch() {
        MetricSpec spec = new MetricSpec("x", Map.of("a", "1"), Quantity.WAITING, "", false);
        assertThat(spec.matches(Map.of("a", "1", "b", "2"))).isTrue();
        assertThat(spec.matches(Map.of("a", "2"))).isFalse();
        assertThat(spec.matches(Map.of())).isFalse();
    }
}
