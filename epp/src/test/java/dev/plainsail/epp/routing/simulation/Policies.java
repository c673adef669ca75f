package dev.plainsail.epp.routing.simulation;

import dev.plainsail.epp.datalayer.EngineReport;
import dev.plainsail.epp.prefix.PrefixIndex;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** The others, written down apart from our own code: what they would choose, with their own sources of knowledge. */
final class Policies {
    private Policies() {}

    static Policy random(int replicas, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return new Blind() {
            @Override
            public int choose(int number, Shape shape, double time) {
                return random.nextInt(replicas);
            }
        };
    }

    static Policy roundRobin(int replicas) {
        return new Blind() {
            @Override
            public int choose(int number, Shape shape, double time) {
                return number % replicas;
            }
        };
    }

    /** Fewest requests in flight; ties at random. Knows every end at once. */
    static Policy leastRequest(int replicas, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int[] inFlight = new int[replicas];
        return new Blind() {
            @Override
            public int choose(int number, Shape shape, double time) {
                double[] scores =
                        Arrays.stream(inFlight).mapToDouble(count -> -count).toArray();
                int best = best(scores, random);
                inFlight[best]++;
                return best;
            }

            @Override
            public void ended(int number, int replica, double time) {
                inFlight[replica]--;
            }
        };
    }

    /**
     * llm-d's default: queue 2, KV use 2, prefix 3, on reports every 50 ms; ties at random.
     */
    static Policy llmdDefault(int replicas, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Prefixes prefixes = new Prefixes(replicas);
        EngineReport[] reports = new EngineReport[replicas];
        return new Blind() {
            @Override
            public int choose(int number, Shape shape, double time) {
                int[] matches = prefixes.match(shape);
                double most = Arrays.stream(reports)
                        .mapToDouble(report -> report.load().waiting())
                        .max()
                        .orElse(0);
                double least = Arrays.stream(reports)
                        .mapToDouble(report -> report.load().waiting())
                        .min()
                        .orElse(0);
                double[] scores = new double[replicas];
                for (int i = 0; i < replicas; i++) {
                    double queue = most > least ? (most - reports[i].load().waiting()) / (most - least) : 1;
                    double prefix = shape.prefix().size() == 0
                            ? 0
                            : (double) matches[i] / shape.prefix().size();
                    scores[i] = 2 * queue + 2 * (1 - reports[i].load().kvCacheUsed()) + 3 * prefix;
                }
                int best = best(scores, random);
                prefixes.index.insert(shape.prefix(), best);
                return best;
            }

            @Override
            public void report(int replica, EngineReport report, double time) {
                reports[replica] = report;
            }

            @Override
            public double reportInterval() {
                return 0.05;
            }
        };
    }

    /**
     * llm-d's recommended baseline: prefix affinity 0.8 with the 18 s gate, then the fewest tokens in flight, which are
     * released at the first token. Knows the true prefill speed.
     */
    static Policy llmdBaseline(int replicas, long seed, double tokensPerSecond) {
        SplittableRandom random = new SplittableRandom(seed);
        Prefixes prefixes = new Prefixes(replicas);
        double[] inFlight = new double[replicas];
        Map<Integer, Double> charged = new HashMap<>();
        return new Blind() {
            @Override
            public int choose(int number, Shape shape, double time) {
                int[] matches = prefixes.match(shape);
                int total = shape.prefix().size();
                boolean[] sticky = new boolean[replicas];
                double soonestSticky = Double.POSITIVE_INFINITY;
                double soonestOther = Double.POSITIVE_INFINITY;
                for (int i = 0; i < replicas; i++) {
                    sticky[i] = total > 0 && (double) matches[i] / total >= 0.8;
                    double wait = inFlight[i] / tokensPerSecond;
                    soonestSticky = sticky[i] ? Math.min(soonestSticky, wait) : soonestSticky;
                    soonestOther = sticky[i] ? soonestOther : Math.min(soonestOther, wait);
                }
                boolean narrow = soonestSticky < Double.POSITIVE_INFINITY && !(soonestSticky - soonestOther > 18);
                double[] scores = new double[replicas];
                double[] uncached = new double[replicas];
                for (int i = 0; i < replicas; i++) {
                    uncached[i] = Math.max(0, shape.inputTokens() - matches[i] * 64.0);
                    double tokens = Math.min(inFlight[i] + uncached[i], 4_194_304);
                    scores[i] = narrow && !sticky[i] ? -1 : 1 - tokens / 4_194_304;
                }
                int best = best(scores, random);
                inFlight[best] += uncached[best];
                charged.put(number, uncached[best]);
                prefixes.index.insert(shape.prefix(), best);
                return best;
            }

            @Override
            public void firstToken(int number, int replica, double time) {
                Double tokens = charged.remove(number);
                inFlight[replica] -= tokens == null ? 0 : tokens;
            }
        };
    }

    private static int best(double[] scores, SplittableRandom random) {
        int best = 0;
        int equals = 1;
        for (int i = 1; i < scores.length; i++) {
            if (scores[i] > scores[best]) {
                best = i;
                equals = 1;
            } else if (scores[i] == scores[best] && random.nextInt(++equals) == 0) {
                best = i;
            }
        }
        return best;
    }

    /** What all prefix-aware ones know: the same index, of the engines' true size. */
    private static final class Prefixes {
        final PrefixIndex index = new PrefixIndex(1 << 20, 2048, SimulatedReplica.Speed.H100_PAIR.kvBlocks());
        final int[] slots;

        Prefixes(int replicas) {
            slots = IntStream.range(0, replicas).toArray();
        }

        int[] match(Shape shape) {
            int[] lengths = new int[slots.length];
            index.match(shape.prefix(), slots, slots.length, lengths);
            return lengths;
        }
    }

    /** Looks at nothing but what it is asked. */
    private abstract static class Blind implements Policy {
        @Override
        public void firstToken(int number, int replica, double time) {}

        @Override
        public void ended(int number, int replica, double time) {}

        @Override
        public void report(int replica, EngineReport report, double time) {}

        @Override
        public double reportInterval() {
            return 1;
        }
    }
}
