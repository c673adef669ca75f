package dev.plainsail.webhook.admission;

import dev.plainsail.webhook.plan.ClusterView;
import dev.plainsail.webhook.plan.InjectionSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
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

/** One review, bytes in and bytes out, without the log line: run {@code org.openjdk.jmh.Main BenchmarkAdmission -prof gc}. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(1)
public class BenchmarkAdmission {

    /** Golden cases: the largest pod, nothing asked, two claims, all gaps filled, a shell text, one refused, a workload. */
    @Param({
        "pods/large-as-the-api-server-sends-it",
        "vocabulary/no-annotations-map",
        "devices/gpu-and-nic",
        "fill/all-words",
        "arguments/shell-multi-line",
        "vocabulary/bad-values",
        "copying/deployment-create"
    })
    public String golden = "";

    private byte[] review = {};
    private AdmissionHandler handler = new AdmissionHandler(
            InjectionSettings.defaults(), ClusterView.UNKNOWN, AdmissionRecorder.NONE, System::nanoTime);

    @Setup
    public void read() throws IOException {
        GoldenCase one = new GoldenCase(golden, Path.of("src/test/resources/golden", golden));
        handler = new AdmissionHandler(one.settings(), ClusterView.UNKNOWN, AdmissionRecorder.NONE, System::nanoTime);
        review = Reviews.request("u", one.tree("input.yaml"), Optional.empty());
    }

    @Benchmark
    public byte[] review() {
        return handler.handle(review);
    }
}
