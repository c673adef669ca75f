package dev.plainsail.e2e.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class EngineMetricsTest {
    /** Captured from vLLM 0.32.0: block size 128, 8192 positions, 8192 blocks, 48 requests. */
    private static String real() throws Exception {
        try (InputStream in =
                Objects.requireNonNull(EngineMetricsTest.class.getResourceAsStream("vllm-0.32-metrics.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void everyLineIsRealVllmsButForTheValues() throws Exception {
        try (SimulatedEngine engine = SimulatedEngine.start(List.of(
                "tiny",
                "--served-model-name",
                "tiny/llama",
                "--host",
                "127.0.0.1",
                "--port",
                "0",
                "--max-model-len",
                "8192"))) {
            assertThat(withoutValues(engine.metrics())).isEqualTo(withoutValues(real()));
        }
    }

    /** Sample lines without their values, and the cache's description without the values of its labels. */
    private static List<String> withoutValues(String text) {
        return text.lines()
                .map(line -> line.startsWith("#") ? line : line.substring(0, line.lastIndexOf(' ')))
                .map(line ->
                        line.startsWith("vllm:cache_config_info{") ? line.replaceAll("=\"[^\"]*\"", "=\"\"") : line)
                .toList();
    }

    @Test
    void numbersAreWrittenAsPythonDoes() {
        assertThat(List.of(
                        0.0,
                        15.0,
                        0.3,
                        123456.0,
                        1234567.0,
                        4669034496.0,
                        1.79596671214966e9,
                        1e22,
                        0.0001,
                        0.00001234))
                .map(MetricsWriter::number)
                .containsExactly(
                        "0.0",
                        "15.0",
                        "0.3",
                        "123456.0",
                        "1.234567e+06",
                        "4.669034496e+09",
                        "1.79596671214966e+09",
                        "1e+22",
                        "0.0001",
                        "1.234e-05");
        assertThat(MetricsWriter.number(1_000_000)).isEqualTo("1e+06");
        assertThat(MetricsWriter.number(-2_500_000)).isEqualTo("-2500000.0");
        assertThat(MetricsWriter.number(Double.POSITIVE_INFINITY)).isEqualTo("+Inf");
    }

    @Test
    void labelValuesAreEscaped() {
        assertThat(MetricsWriter.quoted("a\"b\\c\nd")).isEqualTo("\"a\\\"b\\\\c\\nd\"");
    }

    @Test
    void aHistogramCountsEachValueFromItsBoundOn() {
        Histogram histogram = Histogram.of(1, 2, 5);
        List.of(0.5, 1.0, 1.5, 5.0, 6.0).forEach(histogram::observe);
        assertThat(List.of(
                        histogram.cumulative(0), histogram.cumulative(1), histogram.cumulative(2), histogram.count()))
                .containsExactly(2L, 3L, 4L, 5L);
        assertThat(histogram.sum()).isEqualTo(14.0);
    }
}
