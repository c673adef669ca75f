package dev.plainsail.epp.protocol;

import com.google.protobuf.ByteString;
import dev.plainsail.epp.pool.Endpoint;
import dev.plainsail.epp.routing.InFlight;
import dev.plainsail.epp.routing.Reason;
import dev.plainsail.epp.routing.TokenUsage;
import dev.plainsail.epp.routing.Verdict;
import dev.plainsail.epp.scheduling.InferenceRequest;
import io.envoyproxy.envoy.extensions.filters.http.ext_proc.v3.ProcessingMode.BodySendMode;
import io.envoyproxy.envoy.service.ext_proc.v3.HttpHeaders;
import io.envoyproxy.envoy.service.ext_proc.v3.ProcessingRequest;
import io.envoyproxy.envoy.service.ext_proc.v3.ProtocolConfiguration;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Plays a talk with one stream: what the proxy does stands on lines that begin with {@code >}, what the picker does is
 * written down on lines that begin with {@code <}.
 */
final class Script {
    private static final Map<String, BodySendMode> MODES = Map.of(
            "none", BodySendMode.NONE,
            "streamed", BodySendMode.STREAMED,
            "buffered", BodySendMode.BUFFERED,
            "partial", BodySendMode.BUFFERED_PARTIAL,
            "duplex", BodySendMode.FULL_DUPLEX_STREAMED);

    private final List<String> log = new ArrayList<>();
    private final FakeLine line = new FakeLine(log);
    private final String verdict;
    private final LoopState loop;
    private final ExtProcStream stream;
    private final Deque<Runnable> soon = new ArrayDeque<>();
    private final ExtProc shared;
    private @Nullable Consumer<Verdict> waiting;
    private long now = 1_000_000_000L;

    /**
     * @param verdict {@code forward ip:port[,ip:port] [model=NAME]}, the same with {@code explained}, {@code reject REASON
     *     [after=SECONDS]}, {@code reply JSON}, or {@code later ...}
     */
    Script(String verdict, int maxBodyBytes, int maxHeldBytes) {
        this.verdict = verdict;
        ProtocolSettings settings = new ProtocolSettings(maxBodyBytes, maxHeldBytes, Duration.ofSeconds(5), true, true);
        this.loop = new LoopState(settings, () -> now, soon::add);
        this.shared = new ExtProc(
                this::route,
                (ticket, outcome) -> log.add("< outcome " + ticket + " status=" + outcome.status() + " by="
                        + outcome.upstream() + " bytes=" + outcome.responseBytes()
                        + (outcome.usage().equals(TokenUsage.UNKNOWN)
                                ? ""
                                : " tokens=" + outcome.usage().prompt() + "+"
                                        + outcome.usage().completion())
                        + (outcome.clientGone() ? " client-gone" : "")),
                new Recorder(),
                settings,
                1,
                () -> now);
        this.stream = new ExtProcStream(shared, loop, line);
    }

    /** The talk with all that the picker did in between. */
    static List<String> play(String verdict, int maxBodyBytes, int maxHeldBytes, List<String> talk) {
        Script script = new Script(verdict, maxBodyBytes, maxHeldBytes);
        for (String each : talk) {
            if (each.startsWith(">")) {
                script.step(each);
            }
        }
        if (script.shared.budget.used() != 0 && script.stream.state() instanceof State.Ended) {
            script.log.add("< leaked " + script.shared.budget.used() + " bytes of the budget");
        }
        return script.log;
    }

    State state() {
        return stream.state();
    }

    List<String> log() {
        return log;
    }

    void step(String text) {
        log.add(text);
        List<String> words = words(text.substring(1).strip());
        switch (words.getFirst()) {
            case "half-close" -> stream.halfClosed();
            case "cancel" -> stream.cancelled();
            case "ready" -> {
                line.ready = true;
                stream.onReady();
            }
            case "unready" -> line.ready = false;
            case "wait" -> pass(Long.parseLong(words.get(1)));
            case "verdict" -> {
                Consumer<Verdict> asked = waiting;
                waiting = null;
                line.inLoop = false;
                if (asked != null) {
                    asked.accept(verdict(verdict.replaceFirst("^later ", "")));
                }
                line.inLoop = true;
            }
            default -> stream.on(decode(message(words)));
        }
        line.runTasks();
    }

    private void pass(long millis) {
        now += millis * 1_000_000;
        for (int i = soon.size(); i > 0; i--) {
            soon.remove().run();
        }
    }

    private FromProxy decode(ProcessingRequest message) {
        byte[] bytes = message.toByteArray();
        try {
            return loop.decoder.decode(new ByteArrayInputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ProcessingRequest message(List<String> words) {
        List<String> rest = new ArrayList<>(words.subList(1, words.size()));
        boolean end = rest.remove("end");
        return switch (words.getFirst()) {
            case "request-headers" -> requestHeaders(rest, end);
            case "request-body" -> Messages.requestBody(body(rest), end);
            case "request-trailers" -> Messages.requestTrailers();
            case "response-headers" -> responseHeaders(rest, end);
            case "response-body" -> Messages.responseBody(body(rest).toStringUtf8(), end);
            case "response-trailers" -> Messages.responseTrailers();
            case "unknown" -> ProcessingRequest.getDefaultInstance();
            default -> throw new IllegalArgumentException("no such step: " + words);
        };
    }

    /** {@code MODE/MODE name=value ...}; {@code -} for a proxy that does not say. */
    private static ProcessingRequest requestHeaders(List<String> words, boolean end) {
        ProcessingRequest.Builder message = ProcessingRequest.newBuilder();
        String modes = words.removeFirst();
        if (!modes.equals("-")) {
            int slash = modes.indexOf('/');
            message.setProtocolConfig(ProtocolConfiguration.newBuilder()
                    .setRequestBodyMode(mode(modes.substring(0, slash)))
                    .setResponseBodyMode(mode(modes.substring(slash + 1))));
        }
        List<String> headers = new ArrayList<>();
        for (String word : words) {
            if (word.equals("observing")) {
                message.setObservabilityMode(true);
            } else if (word.startsWith("subset=")) {
                message.setMetadataContext(Messages.metadata(
                        "envoy.lb.subset_hint",
                        "x-gateway-destination-endpoint-subset",
                        Messages.text(word.substring(7))));
            } else if (word.startsWith("route-pool=")) {
                message.setMetadataContext(
                        Messages.metadata("dev.plainsail", "pool", Messages.text(word.substring(11))));
            } else if (word.equals("chat")) {
                headers.addAll(List.of(
                        ":method", "POST", ":path", "/v1/chat/completions", "content-type", "application/json"));
            } else {
                headers.add(word.substring(0, word.indexOf('=')));
                headers.add(word.substring(word.indexOf('=') + 1));
            }
        }
        return message.setRequestHeaders(HttpHeaders.newBuilder()
                        .setHeaders(Messages.headerMap(headers.toArray(String[]::new)))
                        .setEndOfStream(end))
                .build();
    }

    private static ProcessingRequest responseHeaders(List<String> words, boolean end) {
        List<String> headers = new ArrayList<>(List.of(":status", words.removeFirst()));
        ProcessingRequest.Builder message = ProcessingRequest.newBuilder();
        for (String word : words) {
            String value = word.substring(word.indexOf('=') + 1);
            if (word.startsWith("served=")) {
                message.setMetadataContext(
                        Messages.metadata("envoy.lb", "x-gateway-destination-endpoint-served", Messages.text(value)));
            } else {
                headers.addAll(List.of(word.substring(0, word.indexOf('=')), value));
            }
        }
        return message.setResponseHeaders(HttpHeaders.newBuilder()
                        .setHeaders(Messages.headerMap(headers.toArray(String[]::new)))
                        .setEndOfStream(end))
                .build();
    }

    private static BodySendMode mode(String name) {
        BodySendMode mode = MODES.get(name);
        if (mode == null) {
            throw new IllegalArgumentException("no such mode: " + name);
        }
        return mode;
    }

    /** Texts, each perhaps repeated as in {@code 'ab'*1000}, put together. */
    private static ByteString body(List<String> words) {
        StringBuilder text = new StringBuilder();
        for (String word : words) {
            int star = word.lastIndexOf('*');
            if (star > 0 && word.substring(star + 1).matches("[0-9]+")) {
                text.append(word.substring(0, star).repeat(Integer.parseInt(word.substring(star + 1))));
            } else {
                text.append(word);
            }
        }
        return ByteString.copyFromUtf8(text.toString());
    }

    /** Words with blanks between; single quotes keep blanks together. */
    private static List<String> words(String text) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean quoted = false;
        for (char c : (text + " ").toCharArray()) {
            if (c == '\'') {
                quoted = !quoted;
            } else if (c == ' ' && !quoted) {
                if (!word.isEmpty()) {
                    words.add(word.toString());
                }
                word.setLength(0);
            } else {
                word.append(c);
            }
        }
        return words;
    }

    private void route(InferenceRequest request, Consumer<Verdict> answer) {
        log.add("< route " + request.path() + " model=" + request.model() + " bytes=" + request.bodyBytes()
                + (request.streamed() ? " streamed" : "")
                + (request.maxTokens() < 0 ? "" : " max=" + request.maxTokens())
                + (request.poolHint() == null ? "" : " pool=" + request.poolHint())
                + (request.subset() == null ? "" : " subset=" + request.subset()));
        if (verdict.startsWith("later ")) {
            waiting = answer;
        } else {
            answer.accept(verdict(verdict));
        }
    }

    private Verdict verdict(String text) {
        if (text.startsWith("explained ")) {
            Verdict.Forward forward = (Verdict.Forward) verdict(text.replaceFirst("explained", "forward"));
            return new Verdict.Told(forward, Map.of("x-plainsail-explain", "because=it fits"));
        }
        if (text.startsWith("reply ")) {
            return new Verdict.Reply(text.substring("reply ".length()));
        }
        List<String> words = words(text);
        String last = words.getLast();
        String option = last.contains("=") ? last.substring(last.indexOf('=') + 1) : "";
        if (words.getFirst().equals("reject")) {
            return new Verdict.Reject(
                    Reason.valueOf(words.get(1)), "because", option.isEmpty() ? 0 : Integer.parseInt(option));
        }
        List<Endpoint> endpoints = new ArrayList<>();
        for (String address : words.get(1).split(",", -1)) {
            endpoints.add(endpoint(endpoints.size(), address));
        }
        return new Verdict.Forward(endpoints, option.isEmpty() ? null : option, new InFlight() {
            @Override
            public void firstToken() {
                log.add("< first-token");
            }

            @Override
            public void ended() {
                log.add("< booking-ended");
            }
        });
    }

    static Endpoint endpoint(int slot, String hostPort) {
        int colon = hostPort.lastIndexOf(':');
        try {
            InetAddress address = InetAddress.ofLiteral(hostPort.substring(0, colon));
            return new Endpoint(
                    slot,
                    "test/pod-" + slot,
                    "test",
                    new InetSocketAddress(address, Integer.parseInt(hostPort.substring(colon + 1))),
                    Map.of());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(String.format(Locale.ROOT, "no ip:port: %s", hostPort), e);
        }
    }

    private final class Recorder implements StreamEvents {
        @Override
        public void opened() {}

        @Override
        public void refused(Reason reason, @Nullable InferenceRequest request) {
            log.add("< refused " + reason.label());
        }

        @Override
        public void forwarded(InferenceRequest request, @Nullable String target, long heldNanos) {}

        @Override
        public void failed(Throwable cause) {
            throw new AssertionError(cause);
        }

        @Override
        public void violated(String problem) {}

        @Override
        public void closed() {
            log.add("< closed");
        }
    }
}
