package dev.plainsail.epp.scheduling;

import org.jspecify.annotations.Nullable;

/**
 * Endpoints that are meant for prompts of some lengths say so in a label, {@code min-max} in tokens. As a scorer: narrow
 * ranges that fit are best, endpoints without the label are in the middle. As a filter: drops those that do not fit.
 */
public final class ContextLengths implements Filter, Scorer {
    private static final double UNLABELLED = 0.5;
    private static final double MISFIT = 0.3;

    private final String label;
    private final boolean filters;

    /** @param filters whether the filter drops anything */
    public ContextLengths(String label, boolean filters) {
        this.label = label;
        this.filters = filters;
    }

    private record Range(long min, long max) {
        static @Nullable Range parse(String text) {
            int dash = text.indexOf('-');
            if (dash < 1 || !text.matches("[0-9]{1,15}-[0-9]{1,15}")) {
                return null;
            }
            Range range = new Range(Long.parseLong(text.substring(0, dash)), Long.parseLong(text.substring(dash + 1)));
            return range.min <= range.max ? range : null;
        }

        boolean holds(long tokens) {
            return tokens >= min && tokens <= max;
        }

        double score(long tokens) {
            if (!holds(tokens)) {
                long distance = tokens < min ? min - tokens : tokens - max;
                return MISFIT / (1 + distance / 1000.0);
            }
            double width = max - min;
            if (width == 0) {
                return 1;
            }
            return MISFIT + (1 - MISFIT) * (0.7 / (1 + width / 10_000) + 0.3 * (max - tokens) / width);
        }
    }

    @Override
    public Candidates filter(InferenceRequest request, Candidates candidates) {
        if (!filters) {
            return candidates;
        }
        return candidates.where(position -> {
            String text = candidates.endpoint(position).labels().get(label);
            Range range = text == null ? null : Range.parse(text);
            return text == null || (range != null && range.holds(request.promptTokens()));
        });
    }

    @Override
    public void score(InferenceRequest request, Candidates candidates, double[] scores) {
        for (int position = 0; position < candidates.size(); position++) {
            String text = candidates.endpoint(position).labels().get(label);
            Range range = text == null ? null : Range.parse(text);
            scores[position] = text == null ? UNLABELLED : range == null ? 0 : range.score(request.promptTokens());
        }
    }
}
