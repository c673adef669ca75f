package dev.plainsail.e2e.envoy;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.engine.EngineFleet;
import dev.plainsail.e2e.engine.SimulatedEngine;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real Envoy, fetched if need be, in front of simulated engines. */
final class EnvoyIT {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final List<String> ENGINE = List.of("tiny/llama", "--sim-time-factor", "20");

    @TempDir
    Path folder;

    private static Path program = Path.of("envoy");

    @BeforeAll
    static void fetch() {
        program = EnvoyBinary.get(Cache.of(System.getenv(), Progress.console()), System.getenv());
    }

    private static String configuration() throws IOException {
        try (InputStream in = Objects.requireNonNull(EnvoyIT.class.getResourceAsStream("original-dst.yaml"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static HttpRequest completion(URI listener, SimulatedEngine engine, boolean stream) {
        InetSocketAddress to = engine.address();
        return HttpRequest.newBuilder(listener.resolve("/v1/completions"))
                .header("content-type", "application/json")
                .header("x-gateway-destination-endpoint", to.getAddress().getHostAddress() + ":" + to.getPort())
                .POST(HttpRequest.BodyPublishers.ofString(
                        "{\"prompt\":\"the quick brown fox\",\"max_tokens\":20,\"ignore_eos\":true,\"stream\":" + stream
                                + "}"))
                .build();
    }

    private static URI url(InetSocketAddress address) {
        return URI.create("http://" + address.getAddress().getHostAddress() + ":" + address.getPort());
    }

    @Test
    void theHeaderNamesTheEngineThatAnswers() throws Exception {
        try (EngineFleet fleet = EngineFleet.start(3, 11, 0, ENGINE);
                EnvoyProcess envoy = EnvoyProcess.start(program, configuration(), folder)) {
            URI listener = url(envoy.listener("inference"));
            for (SimulatedEngine engine : fleet.engines()) {
                HttpResponse<String> whole = CLIENT.send(completion(listener, engine, false), BodyHandlers.ofString());
                assertThat(whole.statusCode()).as(whole.body()).isEqualTo(200);
                assertThat(whole.headers().firstValue("x-plainsail-endpoint"))
                        .hasValue(url(engine.address()).getAuthority());
                HttpResponse<Stream<String>> stream =
                        CLIENT.send(completion(listener, engine, true), BodyHandlers.ofLines());
                assertThat(stream.body().filter(line -> line.startsWith("data: ")))
                        .hasSize(21);
            }
            assertThat(envoy.stat("cluster.endpoints.upstream_rq_200")).hasValue(6);
            assertThat(envoy.stats("http.inference.downstream_rq"))
                    .containsEntry("http.inference.downstream_rq_2xx", 6L);
        }
    }

    @Test
    void aClientThatLeavesEnvoyFreesTheEngine() throws Exception {
        try (EngineFleet fleet = EngineFleet.start(1, 12, 0, List.of("tiny/llama", "--sim-step-ms", "2000"));
                EnvoyProcess envoy = EnvoyProcess.start(program, configuration(), folder)) {
            SimulatedEngine engine = fleet.engine(0);
            HttpResponse<Stream<String>> stream =
                    CLIENT.send(completion(url(envoy.listener("inference")), engine, true), BodyHandlers.ofLines());
            await().until(() ->
                    engine.metrics().contains("vllm:num_requests_running{engine=\"0\",model_name=\"tiny/llama\"} 1.0"));
            stream.body().close();
            await().until(() ->
                    engine.metrics().contains("vllm:num_requests_running{engine=\"0\",model_name=\"tiny/llama\"} 0.0"));
            assertThat(engine.metrics())
                    .contains(
                            "vllm:request_success_total{engine=\"0\",finished_reason=\"length\",model_name=\"tiny/llama\"} 0.0");
        }
    }

    @Test
    void aResetByTheEngineReachesTheClient() throws Exception {
        try (EngineFleet fleet = EngineFleet.start(1, 13, 0, ENGINE);
                EnvoyProcess envoy = EnvoyProcess.start(program, configuration(), folder)) {
            fleet.engine(0).setFaults(Map.of("reset-after-tokens", "3"));
            URI listener = url(envoy.listener("inference"));
            HttpResponse<String> whole =
                    CLIENT.send(completion(listener, fleet.engine(0), false), BodyHandlers.ofString());
            assertThat(whole.statusCode()).isEqualTo(503);
            HttpResponse<Stream<String>> cut =
                    CLIENT.send(completion(listener, fleet.engine(0), true), BodyHandlers.ofLines());
            assertThatThrownBy(() -> cut.body().count()).hasRootCauseInstanceOf(IOException.class);
        }
    }

    @Test
    void aWrongConfigurationIsToldWithTheEndOfTheLog() throws Exception {
        assertThatThrownBy(
                        () -> EnvoyProcess.start(program, configuration().replace("ORIGINAL_DST", "NOWHERE"), folder))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("envoy.log")
                .hasMessageContaining("NOWHERE");
    }
}
