package dev.plainsail.epp.configuration;

import static dev.plainsail.epp.configuration.PluginType.plugin;
import static dev.plainsail.epp.configuration.PluginType.refused;

import dev.plainsail.epp.scheduling.ContextLengths;
import dev.plainsail.epp.scheduling.Picker;
import dev.plainsail.epp.scheduling.filter.ConcurrencyDetector;
import dev.plainsail.epp.scheduling.filter.LabelFilter;
import dev.plainsail.epp.scheduling.filter.PrefixCacheAffinityFilter;
import dev.plainsail.epp.scheduling.filter.ProbabilisticAdmitter;
import dev.plainsail.epp.scheduling.filter.RendezvousFilter;
import dev.plainsail.epp.scheduling.filter.TestingFilter;
import dev.plainsail.epp.scheduling.filter.UtilizationDetector;
import dev.plainsail.epp.scheduling.picker.MaxScorePicker;
import dev.plainsail.epp.scheduling.picker.RandomPicker;
import dev.plainsail.epp.scheduling.picker.WeightedRandomPicker;
import dev.plainsail.epp.scheduling.scorer.ActiveRequestScorer;
import dev.plainsail.epp.scheduling.scorer.ExpectedWaitScorer;
import dev.plainsail.epp.scheduling.scorer.FewestScorer;
import dev.plainsail.epp.scheduling.scorer.HeaderLabelAffinityScorer;
import dev.plainsail.epp.scheduling.scorer.KvCacheScorer;
import dev.plainsail.epp.scheduling.scorer.LoadAwareScorer;
import dev.plainsail.epp.scheduling.scorer.LoraAffinityScorer;
import dev.plainsail.epp.scheduling.scorer.NoHitLruScorer;
import dev.plainsail.epp.scheduling.scorer.PrefixCacheScorer;
import dev.plainsail.epp.scheduling.scorer.TokenLoadScorer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Every plugin type by name, with its parameters and their defaults: llm-d's, and ours. One line each. */
final class BuiltIns {
    private static final int MANY = Integer.MAX_VALUE;

    private static final String NO_FLOW_CONTROL = "flow control does not exist here yet; remove the plugin";
    private static final String NO_DISAGGREGATION =
            "prefill/decode disaggregation does not exist here yet; use one profile";
    private static final String NO_KV_EVENTS =
            "KV events are not read yet; use approx-prefix-cache-producer and prefix-cache-scorer";
    private static final String NO_LATENCY_PREDICTION =
            "latency prediction does not exist here; use expected-wait-scorer, which needs no training";
    private static final String NO_MULTI_CLUSTER = "several clusters are not supported; remove the plugin";

    private static final List<PluginType> FILTERS = List.of(
            plugin("label-selector-filter", (p, s) -> new LabelFilter(SelectorReader.read(p)), Role.FILTER),
            plugin("by-label-selector", (p, s) -> new LabelFilter(SelectorReader.read(p)), Role.FILTER),
            plugin("by-label", (p, s) -> SelectorReader.byLabel(p), Role.FILTER),
            plugin("decode-filter", (p, s) -> LabelFilter.decode(), Role.FILTER),
            plugin("prefill-filter", (p, s) -> LabelFilter.prefill(), Role.FILTER),
            plugin("encode-filter", (p, s) -> LabelFilter.encode(), Role.FILTER),
            plugin("prefix-cache-affinity-filter", (p, s) -> affinity(p), Role.FILTER),
            plugin("utilization-filter", (p, s) -> ConditionReader.read(p), Role.FILTER)
                    .asExperimental(),
            plugin(
                    "rendezvous-filter",
                    (p, s) -> new RendezvousFilter(
                            p.whole("keyBlocks", 4, 1, 2048), p.decimal("loadBound", 1.25, 1.01, 100)),
                    Role.FILTER),
            plugin("header-based-testing-filter", (p, s) -> new TestingFilter(), Role.FILTER),
            plugin(
                    "context-length-aware",
                    (p, s) -> new ContextLengths(
                            p.text("label", "llm-d.ai/context-length-range"), p.flag("enableFiltering", false)),
                    Role.FILTER,
                    Role.SCORER),
            plugin("endpoint-attribute-filter", (p, s) -> AttributeReader.filter(p), Role.FILTER)
                    .asExperimental(),
            plugin("session-affinity-filter", SessionReader::read, Role.FILTER).asExperimental());

    private static final List<PluginType> SCORERS = List.of(
            plugin("queue-scorer", (p, s) -> FewestScorer.ofWaiting(), Role.SCORER),
            plugin("running-requests-size-scorer", (p, s) -> FewestScorer.ofRunning(), Role.SCORER),
            plugin("kv-cache-utilization-scorer", (p, s) -> new KvCacheScorer(), Role.SCORER),
            plugin(
                    "load-aware-scorer",
                    (p, s) -> new LoadAwareScorer(p.decimal("threshold", 128, 1, MANY)),
                    Role.SCORER),
            plugin("token-load-scorer", (p, s) -> tokenLoad(p), Role.SCORER),
            plugin("active-request-scorer", (p, s) -> activeRequests(p), Role.SCORER),
            plugin("prefix-cache-scorer", (p, s) -> prefixCache(p), Role.SCORER),
            plugin("no-hit-lru-scorer", (p, s) -> noHit(p), Role.SCORER),
            plugin("lora-affinity-scorer", (p, s) -> new LoraAffinityScorer(), Role.SCORER),
            plugin("session-affinity-scorer", SessionReader::read, Role.SCORER).asExperimental(),
            plugin("endpoint-attribute-scorer", (p, s) -> AttributeReader.scorer(p), Role.SCORER)
                    .asExperimental(),
            plugin(
                            "header-label-affinity-scorer",
                            (p, s) -> new HeaderLabelAffinityScorer(
                                    p.text("headerName", null).toLowerCase(Locale.ROOT), p.text("labelKey", null)),
                            Role.SCORER)
                    .asExperimental(),
            plugin("expected-wait-scorer", (p, s) -> new ExpectedWaitScorer(), Role.SCORER));

    private static final List<PluginType> PICKERS = List.of(
            plugin("max-score-picker", (p, s) -> limited(p, new MaxScorePicker()), Role.PICKER),
            plugin("random-picker", (p, s) -> limited(p, new RandomPicker()), Role.PICKER),
            plugin("weighted-random-picker", (p, s) -> limited(p, new WeightedRandomPicker()), Role.PICKER));

    private static final List<PluginType> OTHERS = List.of(
            plugin("single-profile-handler", (p, s) -> Handler.SINGLE, Role.PROFILE_HANDLER),
            plugin("header-profile-handler", (p, s) -> headerHandler(p), Role.PROFILE_HANDLER)
                    .asExperimental(),
            plugin("approx-prefix-cache-producer", (p, s) -> PrefixOptions.read(p), Role.PRODUCER),
            plugin("token-producer", (p, s) -> TokenReader.read(p), Role.PRODUCER),
            plugin("tokenizer", (p, s) -> TokenReader.read(p), Role.PRODUCER),
            plugin("inflight-load-producer", (p, s) -> OutputEstimate.read(p), Role.PRODUCER),
            plugin("session-id-producer", (p, s) -> SessionReader.producer(p), Role.PRODUCER),
            plugin("utilization-detector", (p, s) -> utilization(p), Role.DETECTOR, Role.FILTER),
            plugin("concurrency-detector", (p, s) -> concurrency(p), Role.DETECTOR, Role.FILTER),
            plugin("probabilistic-admitter", (p, s) -> probabilistic(p), Role.ADMITTER),
            plugin("metrics-data-source", (p, s) -> ScrapeReader.source(p), Role.DATA_SOURCE),
            plugin("core-metrics-extractor", (p, s) -> OwnMetrics.read(p), Role.EXTRACTOR),
            plugin("models-data-source", (p, s) -> ScrapeReader.models(p), Role.DATA_SOURCE),
            plugin("models-data-extractor", (p, s) -> Handler.NOTHING, Role.EXTRACTOR),
            plugin("file-discovery", (p, s) -> FileDiscovery.read(p), Role.DISCOVERY),
            fixed("openai-parser", Role.PARSER),
            fixed("anthropic-parser", Role.PARSER),
            fixed("vllmhttp-parser", Role.PARSER),
            fixed("sglanghttp-parser", Role.PARSER),
            fixed("passthrough-parser", Role.PARSER),
            fixed("vllmgrpc-parser", Role.PARSER),
            fixed("vertexai-parser", Role.PARSER),
            fixed("fcfs-ordering-policy", Role.FIXED),
            fixed("global-strict-fairness-policy", Role.FIXED),
            fixed("static-usage-limit-policy", Role.FIXED));

    private static final List<PluginType> REFUSED = Stream.of(
                    refusedAll(
                            NO_DISAGGREGATION,
                            "disagg-profile-handler",
                            "pd-profile-handler",
                            "always-disagg-pd-decider",
                            "prefix-based-pd-decider",
                            "always-disagg-multimodal-decider",
                            "disagg-headers-handler",
                            "prefill-header-handler",
                            "p2p-source-producer",
                            "topology-affinity-filter",
                            "topology-affinity-scorer",
                            "topology-extractor",
                            "disaggregatedset-rollout-screener"),
                    refusedAll(
                            NO_KV_EVENTS,
                            "precise-prefix-cache-producer",
                            "precise-prefix-cache-scorer",
                            "endpoint-notification-source"),
                    refusedAll(
                            NO_LATENCY_PREDICTION,
                            "predicted-latency-producer",
                            "latency-scorer",
                            "slo-headroom-tier-filter",
                            "latency-slo-admitter"),
                    refusedAll(
                            NO_FLOW_CONTROL,
                            "round-robin-fairness-policy",
                            "program-aware-fairness",
                            "edf-ordering-policy",
                            "slo-deadline-ordering-policy",
                            "priority-holdback-policy",
                            "soft-reflective-ceiling-policy",
                            "sheddable-eviction-filter",
                            "priority-then-time-eviction-order-policy",
                            "agent-identity"),
                    refusedAll(
                            NO_MULTI_CLUSTER,
                            "multicluster-session-affinity-filter",
                            "multicluster-queue-scorer",
                            "multicluster-kv-cache-utilization-scorer",
                            "multicluster-prefix-cache-scorer",
                            "multicluster-approx-prefix-cache-producer",
                            "multicluster-metrics-data-source",
                            "multicluster-metrics-extractor",
                            "multicluster-file-discovery"),
                    refusedAll(
                            "every rank is an endpoint of its own here, which the proxy reaches by itself; use"
                                    + " single-profile-handler",
                            "data-parallel-profile-handler"),
                    refusedAll(
                            "requests are not held back for a batch here; use rendezvous-filter, which sends equal prompts"
                                    + " to one endpoint",
                            "burst-prefix-cache-producer"),
                    refusedAll(
                            "answers do not pass through the picker where that costs nothing, so it could not see their"
                                    + " usage; remove it, and take tokens from the engines' metrics",
                            "request-attribute-reporter"),
                    refusedAll("pods are always watched here; remove it", "k8s-notification-source"),
                    refusedAll("it serves a conformance test only; remove it", "destination-endpoint-served-verifier"),
                    refusedAll(
                            "images and sound count as part of the prompt's prefix here; use prefix-cache-scorer",
                            "mm-embeddings-cache-producer",
                            "mm-embeddings-cache-scorer"),
                    refusedAll(
                            "the GPU's own exporter is not asked; name a metric of the engine under customMetrics of"
                                    + " core-metrics-extractor",
                            "dcgm-data-source",
                            "dcgm-extractor"))
            .flatMap(Function.identity())
            .toList();

    static final Map<String, PluginType> BY_NAME = Stream.of(FILTERS, SCORERS, PICKERS, OTHERS, REFUSED)
            .flatMap(List::stream)
            .collect(Collectors.toUnmodifiableMap(PluginType::name, Function.identity()));

    private BuiltIns() {}

    /** The names that can be used, in order; for messages and the README's table. */
    static List<String> names() {
        return BY_NAME.values().stream()
                .filter(type -> type.refusal() == null)
                .map(PluginType::name)
                .sorted()
                .toList();
    }

    private static PluginType fixed(String name, Role role) {
        return plugin(
                name,
                (p, s) -> {
                    p.accepted("threshold");
                    return Handler.NOTHING;
                },
                role);
    }

    private static Stream<PluginType> refusedAll(String why, String... names) {
        return Stream.of(names).map(name -> refused(name, why));
    }

    private static LimitedPicker limited(Parameters p, Picker picker) {
        return new LimitedPicker(picker, Math.max(1, p.whole("maxNumOfEndpoints", 1, Integer.MIN_VALUE, MANY)));
    }

    private static Handler headerHandler(Parameters p) {
        return new Handler.ByHeader(
                p.text("headerName", "EPP-Profile").toLowerCase(Locale.ROOT), p.text("defaultProfile", "decode"));
    }

    private static PrefixCacheAffinityFilter affinity(Parameters p) {
        PrefixCacheAffinityFilter.Rule rule = new PrefixCacheAffinityFilter.Rule(
                p.decimal("affinityThreshold", 0.80, -MANY, 1),
                p.decimal("explorationProbability", 0, 0, 1),
                p.decimal("maxTTFTPenaltyMs", 18_000, 0, MANY),
                p.decimal("peakPrefillThroughput", 0, 0, MANY));
        String source = p.text("ttftSource", "prefillThroughput");
        if (source.equals("latencyPredictor")) {
            p.problem("ttftSource", NO_LATENCY_PREDICTION);
        } else if (!source.equals("prefillThroughput")) {
            p.problem("ttftSource", "'" + source + "': write prefillThroughput");
        }
        p.accepted("prefixMatchInfoProducerName", "latencyPredictionInfoProducerName", "inFlightLoadProducerName");
        return new PrefixCacheAffinityFilter(rule);
    }

    private static TokenLoadScorer tokenLoad(Parameters p) {
        p.accepted("inFlightLoadProducerName");
        return new TokenLoadScorer(p.decimal("queueThresholdTokens", 4_194_304, 1, MANY));
    }

    private static ActiveRequestScorer activeRequests(Parameters p) {
        p.accepted("requestTimeout", "inFlightLoadProducerName");
        return new ActiveRequestScorer(p.whole("idleThreshold", 0, 0, MANY), p.decimal("maxBusyScore", 1, 0, 1));
    }

    private static PrefixCacheScorer prefixCache(Parameters p) {
        p.accepted("prefixMatchInfoProducerName");
        return new PrefixCacheScorer(
                p.decimal("matchLengthWeight", 0, 0, 1), p.decimal("matchLengthScaleTokens", 8192, 1, MANY));
    }

    private static NoHitLruScorer noHit(Parameters p) {
        p.accepted("prefixMatchInfoProducerName");
        return new NoHitLruScorer(p.whole("lruSize", 1024, 1, MANY));
    }

    private static ProbabilisticAdmitter probabilistic(Parameters p) {
        return new ProbabilisticAdmitter(
                new UtilizationDetector(
                        p.decimal("queueDepthThreshold", 5, 1, MANY),
                        p.decimal("kvCacheUtilThreshold", 0.8, 0.01, 1),
                        0),
                p.decimal("power", 5, 0, MANY),
                p.decimal("k", 300, 0, MANY));
    }

    private static UtilizationDetector utilization(Parameters p) {
        p.accepted("metricsStalenessThreshold");
        return new UtilizationDetector(
                p.decimal("queueDepthThreshold", 5, 1, MANY),
                p.decimal("kvCacheUtilThreshold", 0.8, 0.01, 1),
                p.decimal("headroom", 0, 0, MANY));
    }

    private static ConcurrencyDetector concurrency(Parameters p) {
        p.accepted("inFlightLoadProducerName");
        return new ConcurrencyDetector(
                p.word("concurrencyMode", ConcurrencyDetector.Mode.REQUESTS, "-"),
                p.decimal("maxConcurrency", 100, 1, MANY),
                p.decimal("maxTokenConcurrency", 1_000_000, 1, MANY),
                p.decimal("headroom", 0, 0, MANY));
    }
}
