package dev.plainsail.e2e.engine;

import dev.plainsail.e2e.engine.Answers.Choice;
import dev.plainsail.e2e.engine.Answers.Usage;
import dev.plainsail.e2e.engine.Sequence.FinishReason;
import dev.plainsail.e2e.engine.Sequence.Siblings;
import dev.plainsail.e2e.engine.http.Exchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * One request for text being answered, streamed or whole. The headers of a stream go out before anything is computed, as vLLM's do. When
 * the client leaves, its sequences are stopped at once.
 */
final class Completion {
    private static final byte[] DONE = "data: [DONE]\n\n".getBytes(StandardCharsets.US_ASCII);

    /** @param index of the choice; -1 when the client has gone */
    private record Piece(int index, String text, @Nullable FinishReason finish) {}

    private record Placed(EngineLoop loop, Sequence sequence) {}

    private final SimulatedEngine engine;
    private final Generation generation;
    private final Answers answers;
    private final int resetAfterTokens;
    private final BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
    private final List<Placed> placed = new ArrayList<>();

    /** @param resetAfterTokens -1: never */
    Completion(SimulatedEngine engine, Generation generation, String id, int resetAfterTokens) {
        this.engine = engine;
        this.generation = generation;
        this.resetAfterTokens = resetAfterTokens;
        String name = generation.model();
        this.answers = new Answers(
                (generation.chat() ? "chatcmpl-" : "cmpl-") + id,
                name,
                (long) engine.clock().epochSeconds(),
                generation.chat());
    }

    void answer(Exchange exchange) throws IOException, InterruptedException {
        if (generation.stream()) {
            exchange.begin(200, Map.of("content-type", "text/event-stream; charset=utf-8"));
        }
        place();
        exchange.onDisconnect(this::gone);
        try {
            if (generation.stream()) {
                stream(exchange);
            } else {
                whole(exchange);
            }
        } finally {
            abort();
        }
    }

    private void place() {
        Siblings siblings = new Siblings(generation.choices());
        for (int i = 0; i < generation.tasks().size(); i++) {
            int index = i;
            if (i % generation.choices() == 0) {
                siblings = new Siblings(generation.choices());
            }
            Sequence sequence = new Sequence(
                    generation.tasks().get(i),
                    siblings,
                    (text, finish) -> pieces.add(new Piece(index, text, finish)),
                    engine.clock().nanoTime());
            placed.add(new Placed(engine.leastLoaded(), sequence));
        }
        placed.forEach(one -> one.loop().add(one.sequence()));
    }

    private void gone() {
        abort();
        pieces.add(new Piece(-1, "", null));
    }

    private void abort() {
        placed.forEach(one -> one.loop().abort(one.sequence()));
    }

    private void whole(Exchange exchange) throws IOException, InterruptedException {
        List<StringBuilder> texts =
                placed.stream().map(_ -> new StringBuilder()).toList();
        int open = placed.size();
        while (open > 0) {
            Piece piece = pieces.take();
            if (piece.index() < 0) {
                return;
            }
            texts.get(piece.index()).append(piece.text());
            open -= piece.finish() == null ? 0 : 1;
        }
        List<Choice> choices = new ArrayList<>();
        for (int i = 0; i < placed.size(); i++) {
            choices.add(
                    new Choice(texts.get(i).toString(), placed.get(i).sequence().requireFinish().text));
        }
        exchange.respond(200, EngineApi.JSON, Answers.bytes(answers.whole(choices, usage())));
    }

    private void stream(Exchange exchange) throws IOException, InterruptedException {
        boolean[] spoken = new boolean[placed.size()];
        int open = placed.size();
        int sent = 0;
        while (open > 0) {
            if (sent == resetAfterTokens) {
                exchange.reset();
                return;
            }
            Piece piece = pieces.take();
            if (piece.index() < 0) {
                return;
            }
            if (generation.chat() && !spoken[piece.index()]) {
                spoken[piece.index()] = true;
                exchange.write(event(answers.role(piece.index())));
            }
            String finish = piece.finish() == null ? null : Objects.requireNonNull(piece.finish()).text;
            exchange.write(event(answers.piece(piece.index(), piece.text(), finish)));
            open -= piece.finish() == null ? 0 : 1;
            sent++;
        }
        if (generation.includeUsage()) {
            exchange.write(event(answers.usage(usage())));
        }
        exchange.write(DONE);
        exchange.end();
    }

    private Usage usage() {
        int generated =
                placed.stream().mapToInt(one -> one.sequence().generated).sum();
        Integer cached = engine.settings().promptTokensDetails()
                ? Integer.valueOf(placed.getLast().sequence().cachedTokens)
                : null;
        return new Usage(generation.promptTokens(), generated, cached);
    }

    private static byte[] event(ObjectNode json) {
        return ("data: " + json + "\n\n").getBytes(StandardCharsets.UTF_8);
    }
}
