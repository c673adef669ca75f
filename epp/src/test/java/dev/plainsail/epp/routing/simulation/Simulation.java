package dev.plainsail.epp.routing.simulation;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs a workload through a policy on a fleet, event by event. */
final class Simulation {
    /**
     * @param hitRate prompt tokens found in a cache, of all
     * @param imbalance prefill tokens of the busiest replica, over the mean
     */
    record Result(double hitRate, double meanTtft, double p50, double p99, double imbalance) {}

    private Simulation() {}

    static Result run(List<Shape> workload, Policy policy, int replicas, SimulatedReplica.Speed speed) {
        SimulatedReplica[] fleet = new SimulatedReplica[replicas];
        Arrays.setAll(fleet, i -> new SimulatedReplica(speed));
        Map<SimulatedReplica.Job, Integer> numbers = new HashMap<>();
        SimulatedReplica.Job[] jobs = new SimulatedReplica.Job[workload.size()];
        double nextReport = 0;
        int next = 0;
        int open = 0;
        while (next < workload.size() || open > 0) {
            double arrival = next < workload.size() ? workload.get(next).arrival() : Double.POSITIVE_INFINITY;
            int soonest = soonest(fleet);
            double event = fleet[soonest].nextEvent();
            if (nextReport <= Math.min(arrival, event)) {
                for (int replica = 0; replica < replicas; replica++) {
                    policy.report(replica, fleet[replica].report(nextReport), nextReport);
                }
                nextReport += policy.reportInterval();
            } else if (arrival <= event) {
                Shape shape = workload.get(next);
                jobs[next] = new SimulatedReplica.Job(shape);
                numbers.put(jobs[next], next);
                fleet[policy.choose(next, shape, arrival)].add(jobs[next], arrival);
                next++;
                open++;
            } else {
                SimulatedReplica.Job before = fleet[soonest].prefilling();
                SimulatedReplica.Job ended = fleet[soonest].step();
                if (ended == null) {
                    policy.firstToken(numbers.getOrDefault(before, -1), soonest, event);
                } else {
                    policy.ended(numbers.getOrDefault(ended, -1), soonest, event);
                    open--;
                }
            }
        }
        return result(jobs, fleet);
    }

    private static int soonest(SimulatedReplica[] fleet) {
        int soonest = 0;
        for (int i = 1; i < fleet.length; i++) {
            if (fleet[i].nextEvent() < fleet[soonest].nextEvent()) {
                soonest = i;
            }
        }
        return soonest;
    }

    private static Result result(SimulatedReplica.Job[] jobs, SimulatedReplica[] fleet) {
        double[] ttft = Arrays.stream(jobs)
                .mapToDouble(job -> job.firstToken - job.shape.arrival())
                .sorted()
                .toArray();
        double tokens =
                Arrays.stream(jobs).mapToDouble(job -> job.shape.inputTokens()).sum();
        double cached = Arrays.stream(jobs).mapToDouble(job -> job.cachedTokens).sum();
        double most = Arrays.stream(fleet)
                .mapToDouble(replica -> replica.prefillTokens)
                .max()
                .orElse(0);
        double mean = Arrays.stream(fleet)
                .mapToDouble(replica -> replica.prefillTokens)
                .average()
                .orElse(1);
        return new Result(
                cached / tokens,
                Arrays.stream(ttft).average().orElse(0),
                ttft[ttft.length / 2],
                ttft[(int) (ttft.length * 0.99)],
                most / mean);
    }
}
