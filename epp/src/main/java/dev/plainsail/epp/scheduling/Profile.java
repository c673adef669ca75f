package dev.plainsail.epp.scheduling;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * Filters in order, then every scorer, then one picker.
 *
 * @param limit endpoints wanted; the picker's own setting
 */
public record Profile(String name, List<Filter> filters, List<WeightedScorer> scorers, Picker picker, int limit) {
    /** @param weight finite; a negative one turns the opinion around */
    public record WeightedScorer(String name, Scorer scorer, double weight) {}

    private static final int[] NONE = {};

    public Profile {
        filters = List.copyOf(filters);
        scorers = List.copyOf(scorers);
    }

    /** The candidates that the filters leave. */
    public Candidates narrow(InferenceRequest request, Candidates candidates) {
        Candidates left = candidates;
        for (Filter filter : filters) {
            if (left.size() == 0) {
                return left;
            }
            left = filter.filter(request, left);
        }
        return left;
    }

    /** Scores and picks among candidates that were narrowed already; none gives none. */
    public int[] choose(InferenceRequest request, Candidates narrowed, RandomGenerator random) {
        if (narrowed.size() == 0) {
            return NONE;
        }
        return picker.pick(narrowed, totals(request, narrowed), limit, random);
    }

    /** The weighted sums by position. */
    public double[] totals(InferenceRequest request, Candidates narrowed) {
        int size = narrowed.size();
        double[] totals = new double[size];
        double[] scores = new double[size];
        for (WeightedScorer weighted : scorers) {
            weighted.scorer().score(request, narrowed, scores);
            for (int position = 0; position < size; position++) {
                double score = scores[position];
                if (score > 0) {
                    totals[position] += weighted.weight() * Math.min(score, 1);
                }
            }
        }
        return totals;
    }

    /** Every scorer's own opinion by position, before clamping and weighting; for people. */
    public List<Map<String, Double>> scores(InferenceRequest request, Candidates narrowed) {
        List<Map<String, Double>> byPosition = new ArrayList<>();
        for (int position = 0; position < narrowed.size(); position++) {
            byPosition.add(new TreeMap<>());
        }
        double[] scores = new double[narrowed.size()];
        for (WeightedScorer weighted : scorers) {
            weighted.scorer().score(request, narrowed, scores);
            for (int position = 0; position < narrowed.size(); position++) {
                byPosition.get(position).put(weighted.name(), scores[position]);
            }
        }
        return byPosition;
    }
}
