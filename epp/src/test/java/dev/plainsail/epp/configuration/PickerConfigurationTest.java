package dev.plainsail.epp.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.epp.configuration.PickerConfiguration.Result;
import dev.plainsail.epp.prefix.BlockHashes;
import dev.plainsail.epp.scheduling.InferenceRequest;
import dev.plainsail.epp.scheduling.Profile;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PickerConfigurationTest {
    private static final String HEAD = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n";

    @Test
    void theChartsDefaultLoadsUnchanged() {
        PickerConfiguration configuration = valid(HEAD + """
                plugins:
                - type: file-discovery
                  parameters:
                    path: /etc/endpoints.yaml
                    watchFile: true
                - type: queue-scorer
                - type: kv-cache-utilization-scorer
                - type: prefix-cache-scorer
                - type: metrics-data-source
                  parameters:
                    scheme: "http"
                    path: "/metrics"
                    insecureSkipVerify: true
                - type: core-metrics-extractor
                schedulingProfiles:
                - name: default
                  plugins:
                  - pluginRef: queue-scorer
                    weight: 2
                  - pluginRef: kv-cache-utilization-scorer
                    weight: 2
                  - pluginRef: prefix-cache-scorer
                    weight: 3
                dataLayer:
                  discovery:
                    pluginRef: file-discovery
                """);
        assertThat(configuration.endpointsFile()).contains(Path.of("/etc/endpoints.yaml"));
        Profile profile = profile(configuration);
        assertThat(profile.scorers().stream().map(scorer -> scorer.name() + " " + scorer.weight()))
                .containsExactly("queue-scorer 2.0", "kv-cache-utilization-scorer 2.0", "prefix-cache-scorer 3.0");
        assertThat(configuration.warnings()).isEmpty();
    }

    @Test
    void theRecommendedBaselineLoadsUnchanged() {
        PickerConfiguration configuration = valid(HEAD + """
                plugins:
                - type: approx-prefix-cache-producer
                - type: inflight-load-producer
                - type: prefix-cache-affinity-filter
                - type: token-load-scorer
                schedulingProfiles:
                - name: default
                  plugins:
                  - pluginRef: prefix-cache-affinity-filter
                  - pluginRef: token-load-scorer
                """);
        assertThat(profile(configuration).filters()).hasSize(1);
        assertThat(profile(configuration).limit()).isEqualTo(1);
    }

    @Test
    void withoutProfilesEveryPartIsUsedInTheOrderOfTheText() {
        PickerConfiguration configuration = valid(HEAD + """
                plugins:
                - type: utilization-detector
                - type: decode-filter
                - type: label-selector-filter
                  parameters: {matchLabels: {a: b}}
                - type: queue-scorer
                """);
        assertThat(profile(configuration).filters()).hasSize(2);
        assertThat(configuration.effective())
                .contains("single-profile-handler", "max-score-picker", "metrics-data-source")
                .containsSubsequence("pluginRef: decode-filter", "pluginRef: label-selector-filter");
    }

    @Test
    void everyProblemIsFoundAtOnceWithItsPath() {
        assertThat(problems("""
                        apiVersion: v1
                        kind: Config
                        featureGates: [flowControl, other, "flowControl=maybe"]
                        surprise: 1
                        plugins:
                        - type: queue-scorr
                        - type: latency-scorer
                        - type: session-affinity-scorer
                        - name: a
                          type: load-aware-scorer
                          parameters: {threshold: many, extra: 1}
                        - name: a
                          type: random-picker
                        - parameters: {}
                        - type: prefix-cache-affinity-filter
                          parameters: {affinityThreshold: 1.5, ttftSource: latencyPredictor}
                        schedulingProfiles:
                        - name: p
                          plugins:
                          - pluginRef: nobody
                          - weight: 2
                        - name: p
                        """))
                .extracting(Problem::toString)
                .anySatisfy(text -> assertThat(text).startsWith("apiVersion: 'v1'"))
                .anySatisfy(text -> assertThat(text).startsWith("kind: 'Config'"))
                .anySatisfy(text -> assertThat(text).startsWith("featureGates[0]: flow control"))
                .anySatisfy(text -> assertThat(text).startsWith("featureGates[1]: 'other' is unknown"))
                .anySatisfy(text -> assertThat(text).startsWith("featureGates[2]: 'flowControl=maybe'"))
                .anySatisfy(text -> assertThat(text).startsWith("surprise: unknown"))
                .anySatisfy(text -> assertThat(text)
                        .startsWith("plugins[0].type: 'queue-scorr' is unknown; did you mean queue-scorer?"))
                .anySatisfy(text -> assertThat(text).startsWith("plugins[1].type: latency-scorer: latency prediction"))
                .anySatisfy(text -> assertThat(text).contains("plugins[2].type", "--allow-experimental-plugins"))
                .anySatisfy(text -> assertThat(text).startsWith("plugins[4].name: 'a' is there twice"))
                .anySatisfy(text -> assertThat(text).startsWith("plugins[5].type: missing"))
                .anySatisfy(text -> assertThat(text).startsWith("plugins[6].parameters.affinityThreshold: '1.5'"))
                .anySatisfy(text -> assertThat(text).startsWith("plugins[6].parameters.ttftSource: latency prediction"))
                .anySatisfy(text -> assertThat(text)
                        .startsWith("schedulingProfiles[0].plugins[0].pluginRef: 'nobody' is not in plugins"))
                .anySatisfy(text -> assertThat(text).startsWith("schedulingProfiles[0].plugins[1].pluginRef: missing"))
                .anySatisfy(text -> assertThat(text).startsWith("schedulingProfiles[1].name: 'p' is there twice"))
                .anySatisfy(text -> assertThat(text).startsWith("schedulingProfiles: 2 profiles and no handler"));
    }

    @Test
    void whatTheUserSaysOfEnginesOfTheirOwnIsCheckedAndReadBack() {
        PickerConfiguration configuration = valid(HEAD + """
                plugins:
                - type: core-metrics-extractor
                  parameters:
                    engineConfigs:
                    - name: mine
                      queuedRequestsSpec: "my:queue{kind=all}"
                      customMetrics: [{attributeKey: Heat, metricSpec: "my:temperature"}]
                - {type: endpoint-attribute-scorer, parameters: {attributeKey: Heat}}
                - type: endpoint-attribute-filter
                  parameters: {attribute: Heat, algorithm: {threshold: {operator: LessThan, value: 80}}}
                """, true);
        assertThat(configuration.scraping().own()).hasSize(2);
        assertThat(valid(configuration.effective(), true).effective()).isEqualTo(configuration.effective());
        assertThat(problems(HEAD + """
                        plugins:
                        - type: core-metrics-extractor
                          parameters:
                            engineConfigs:
                            - name: default
                              queuedRequestsSpec: "a b"
                              cacheBlockSizeLabelName: size
                              surprise: 1
                        - type: endpoint-attribute-filter
                          parameters: {algorithm: {threshold: {operator: Above}}}
                        - type: endpoint-attribute-scorer
                          parameters: {attributeKey: x, algorithm: {normalization: {fixedRange: {min: 3, max: 1}}}}
                        """, true))
                .extracting(Problem::toString)
                .anySatisfy(text -> assertThat(text).contains("engineConfigs[0].name", "reserved"))
                .anySatisfy(text -> assertThat(text).contains("queuedRequestsSpec", "'a b'"))
                .anySatisfy(text -> assertThat(text).contains("cacheBlockSizeLabelName", "cacheBlockSizeSpec"))
                .anySatisfy(text -> assertThat(text).contains("surprise", "unknown"))
                .anySatisfy(text -> assertThat(text).contains("attribute: missing"))
                .anySatisfy(text -> assertThat(text).contains("operator", "LessThanOrEqual"))
                .anySatisfy(text -> assertThat(text).contains("fixedRange.max", "above min"));
    }

    @Test
    void unknownParametersNameTheKnownOnes() {
        assertThat(problems(HEAD + """
                        plugins:
                        - type: no-hit-lru-scorer
                          parameters: {size: 3}
                        """))
                .extracting(Problem::toString)
                .containsExactly("plugins[0].parameters.size: unknown; known are lruSize, prefixMatchInfoProducerName");
    }

    @Test
    void textThatIsNoConfigurationIsRefusedInOneSentence() {
        assertThat(problems("a: ["))
                .singleElement()
                .satisfies(problem -> assertThat(problem.detail()).startsWith("not YAML"));
        assertThat(problems("just words")).hasSize(1);
        assertThat(problems("")).hasSize(1);
        assertThat(problems("a: 1\na: 2"))
                .singleElement()
                .satisfies(problem -> assertThat(problem.detail()).contains("Duplicate"));
    }

    @Test
    void theEffectiveTextReadsBackAsItself() {
        for (PickerConfiguration configuration : List.of(
                PickerConfiguration.builtIn(),
                valid(
                        HEAD
                                + "plugins: [{type: queue-scorer}, {name: r, type: random-picker, parameters: {maxNumOfEndpoints: 3}}]"))) {
            String text = configuration.effective();
            assertThat(valid(text).effective()).isEqualTo(text);
        }
    }

    @Test
    void everyNamedTypeOfLlmdIsUsableOrRefusedWithASentence() {
        for (PluginType type : BuiltIns.BY_NAME.values()) {
            Result result = PickerConfiguration.read(HEAD + "plugins:\n- type: " + type.name() + "\n", true);
            if (type.refusal() != null) {
                assertThat(result).isInstanceOf(Result.Invalid.class);
                assertThat(((Result.Invalid) result).problems().getFirst().detail())
                        .contains(type.refusal());
            }
        }
        assertThat(BuiltIns.names()).contains("queue-scorer", "max-score-picker", "expected-wait-scorer");
    }

    @Test
    void aHeaderChoosesTheProfile() {
        PickerConfiguration configuration = valid(HEAD + """
                plugins:
                - type: header-profile-handler
                  parameters: {headerName: X-Kind, defaultProfile: b}
                - type: random-picker
                - type: queue-scorer
                schedulingProfiles:
                - name: a
                  plugins: [{pluginRef: queue-scorer}]
                - name: b
                """, true);
        assertThat(configuration
                        .scheduler(() -> 0)
                        .profile(request(Map.of("x-kind", "a")))
                        .name())
                .isEqualTo("a");
        assertThat(configuration
                        .scheduler(() -> 0)
                        .profile(request(Map.of("x-kind", "c")))
                        .name())
                .isEqualTo("b");
        assertThat(configuration.scheduler(() -> 0).profile(request(Map.of())).name())
                .isEqualTo("b");
    }

    @Test
    void durationsAreGos() {
        assertThat(GoDuration.parse("1m30s")).hasSeconds(90);
        assertThat(GoDuration.parse("200ms")).hasMillis(200);
        assertThat(GoDuration.parse("1.5h")).hasMinutes(90);
        assertThat(GoDuration.parse("0")).hasSeconds(0);
        for (String wrong : List.of("", "5", "5 s", "-5s", "s", "5x", "1s2")) {
            assertThat(GoDuration.parse(wrong)).as(wrong).isNull();
        }
    }

    private static Profile profile(PickerConfiguration configuration) {
        return configuration.scheduler(() -> 0).profile(request(Map.of()));
    }

    private static InferenceRequest request(Map<String, String> headers) {
        return new InferenceRequest(
                1, "/v1/completions", null, "m", false, 10, 10, -1, BlockHashes.NONE, headers, null);
    }

    private static PickerConfiguration valid(String yaml) {
        return valid(yaml, false);
    }

    private static PickerConfiguration valid(String yaml, boolean experimental) {
        return switch (PickerConfiguration.read(yaml, experimental)) {
            case Result.Valid(PickerConfiguration configuration) -> configuration;
            case Result.Invalid(List<Problem> problems) -> throw new AssertionError(problems);
        };
    }

    private static List<Problem> problems(String yaml) {
        return problems(yaml, false);
    }

    private static List<Problem> problems(String yaml, boolean experimental) {
        return switch (PickerConfiguration.read(yaml, experimental)) {
            case Result.Valid(PickerConfiguration configuration) -> throw new AssertionError(configuration.effective());
            case Result.Invalid(List<Problem> problems) -> problems;
        };
    }
}
