package dev.plainsail.epp.routing;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One decision with the numbers that it was made of, for people.
 *
 * @param model null: the request named none
 * @param target that the model was rewritten to; null: it was not
 * @param promptBlocks blocks of 64 tokens of the prompt
 * @param known endpoints of the pool, before ejection, subset and filters
 * @param options those that were left to choose from, best first
 * @param chosen the endpoint, then its fallbacks
 */
public record Decision(
        long ticket,
        String pool,
        String profile,
        @Nullable String model,
        @Nullable String target,
        int promptTokens,
        int promptBlocks,
        int known,
        List<Option> options,
        List<String> chosen) {

    private static final int MOST_IN_HEADER = 8;

    /**
     * @param total weighted sum of the scores
     * @param scores by scorer, before weighting; NaN: no opinion
     * @param matchedBlocks leading blocks of the prompt that it is believed to hold
     * @param inFlight requests of ours that it had before this one
     * @param pendingPrefill prompt tokens that it had before it
     */
    public record Option(
            String endpoint,
            double total,
            Map<String, Double> scores,
            int matchedBlocks,
            int inFlight,
            int pendingPrefill) {
        public Option {
            scores = Map.copyOf(scores);
        }
    }

    public Decision {
        options = options.stream()
                .sorted(Comparator.comparingDouble(Option::total).reversed())
                .toList();
        chosen = List.copyOf(chosen);
    }

    /** As the value of a header: at most {@value #MOST_IN_HEADER} endpoints, the best ones. */
    String headerText() {
        StringBuilder text = new StringBuilder("pool=")
                .append(visible(pool))
                .append("; profile=")
                .append(visible(profile))
                .append("; chosen=")
                .append(chosen.getFirst())
                .append("; candidates=")
                .append(options.size())
                .append('/')
                .append(known)
                .append("; prompt-blocks=")
                .append(promptBlocks)
                .append("; scores=");
        for (int i = 0; i < Math.min(options.size(), MOST_IN_HEADER); i++) {
            Option option = options.get(i);
            text.append(i == 0 ? "" : ",")
                    .append(String.format(
                            Locale.ROOT,
                            "%s:%.3f(matched=%d in-flight=%d pending=%d)",
                            option.endpoint(),
                            option.total(),
                            option.matchedBlocks(),
                            option.inFlight(),
                            option.pendingPrefill()));
        }
        return text.toString();
    }

    /** Names come from configurations and clusters; a header takes printable ASCII only. */
    private static String visible(String name) {
        return name.replaceAll("[^ -~]", "?");
    }
}
