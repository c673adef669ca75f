package dev.plainsail.epp.routing.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.epp.configuration.PickerConfiguration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Pins the quality of the built-in rules on a seeded workload in virtual time. The bars lie between what the rules do
 * and what a known-bad rule does on the same workload, so that noise passes and a broken rule does not.
 */
class FleetSimulationTest {
    private static final List<Shape> CONVERSATIONS = Workloads.conversations(1, 3000, 22);
    private static final List<Shape> BURSTS = Workloads.bursts(1, 1600, 24);

    /** Here 0.84 and 0.09 s; by least request 0.68 and 0.26 s. */
    @Test
    void conversationsStayWhereTheirPrefixIs() {
        Simulation.Result ours = run(CONVERSATIONS, FleetSimulation.ours(PickerConfiguration.builtIn(), 1));
        Simulation.Result bad = run(CONVERSATIONS, Policies.leastRequest(FleetSimulation.REPLICAS, 1));
        assertThat(ours.hitRate()).isGreaterThan(0.78);
        assertThat(ours.meanTtft()).isLessThan(0.16);
        assertThat(bad.hitRate()).as("the bar tells them apart").isLessThan(0.78);
        assertThat(bad.meanTtft()).isGreaterThan(0.16);
    }

    /** Sixteen at once on four: no replica gets much more than its quarter. */
    @Test
    void burstsAreSpread() {
        Simulation.Result ours = run(BURSTS, FleetSimulation.ours(PickerConfiguration.builtIn(), 1));
        Simulation.Result random = run(BURSTS, Policies.random(FleetSimulation.REPLICAS, 1));
        assertThat(ours.imbalance()).isLessThan(1.3);
        assertThat(ours.meanTtft()).isLessThan(random.meanTtft());
        assertThat(ours.hitRate()).isGreaterThan(random.hitRate());
    }

    @Test
    void theSameSeedGivesTheSameResult() {
        Simulation.Result first = run(BURSTS, FleetSimulation.ours(PickerConfiguration.builtIn(), 7));
        assertThat(run(BURSTS, FleetSimulation.ours(PickerConfiguration.builtIn(), 7)))
                .isEqualTo(first);
    }

    @Test
    void aSingleRequestTakesAsLongAsItsPromptAndAnswer() {
        Shape shape = Workloads.conversations(3, 1, 1).getFirst();
        Simulation.Result result = run(List.of(shape), Policies.roundRobin(1));
        assertThat(result.meanTtft())
                .isBetween(0.02 + shape.inputTokens() / 15_928.0 - 1e-6, 0.021 + shape.inputTokens() / 15_928.0);
        assertThat(result.hitRate()).isZero();
    }

    private static Simulation.Result run(List<Shape> workload, Policy policy) {
        return Simulation.run(workload, policy, FleetSimulation.REPLICAS, SimulatedReplica.Speed.H100_PAIR);
    }
}
