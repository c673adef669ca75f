package dev.plainsail.e2e.engine;

import java.util.Arrays;

/** Counts of observations by upper bound, as Prometheus' histograms. Not thread-safe. */
final class Histogram {
    private static final double[] LATENCY = {
        0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680
    };
    private static final double[] FIRST_TOKEN = {
        0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560
    };
    private static final double[] PER_TOKEN = {
        0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80
    };

    private final double[] bounds;
    private final long[] counts;
    private double sum;

    private Histogram(double[] bounds) {
        this.bounds = bounds;
        this.counts = new long[bounds.length + 1];
    }

    static Histogram of(double... bounds) {
        return new Histogram(bounds.clone());
    }

    static Histogram latency() {
        return of(LATENCY);
    }

    static Histogram firstToken() {
        return of(FIRST_TOKEN);
    }

    static Histogram perToken() {
        return of(PER_TOKEN);
    }

    /** Bounds 1, 2, 5, 10, 20, 50 and so on, as far as they do not pass {@code max}. */
    static Histogram upTo(int max) {
        double[] all = new double[30];
        int count = 0;
        for (long power = 1; power <= max; power *= 10) {
            for (long factor : new long[] {1, 2, 5}) {
                if (power * factor <= max) {
                    all[count++] = power * factor;
                }
            }
        }
        return new Histogram(Arrays.copyOf(all, count));
    }

    void observe(double value) {
        int at = Arrays.binarySearch(bounds, value);
        counts[at >= 0 ? at : -at - 1]++;
        sum += value;
    }

    double[] bounds() {
        return bounds.clone();
    }

    /** Observations up to and including the bound at {@code index}; behind the last bound, all. */
    long cumulative(int index) {
        long total = 0;
        for (int i = 0; i <= index; i++) {
            total += counts[i];
        }
        return total;
    }

    long count() {
        return cumulative(bounds.length);
    }

    double sum() {
        return sum;
    }
}
