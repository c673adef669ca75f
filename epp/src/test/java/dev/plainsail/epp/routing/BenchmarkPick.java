package dev.plainsail.epp.routing;

import dev.plainsail.epp.configuration.PickerConfiguration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** A whole decision: snapshot, prefix walk, scores, choice, booking, insertion, and its end; prompts of 100 blocks, 50 different. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class BenchmarkPick {
    /** Size of the pool. */
    @Param({"10", "100", "1000", "10000"})
    public int endpoints;

    private Fleet fleet = new Fleet(PickerConfiguration.builtIn());
    private int next;

    /** Fills the pool. */
    @Setup
    public void fill() {
        fleet = new Fleet(PickerConfiguration.builtIn());
        fleet.pool("chat", endpoints);
    }

    /** One request from decision to end. */
    @Benchmark
    public void pick(Blackhole seen) {
        fleet.router().route(fleet.request().prompt(next++ % 50, 100).build(), verdict -> {
            seen.consume(verdict);
            if (verdict instanceof Verdict.Forward forward) {
                forward.inFlight().ended();
            }
        });
    }
}
