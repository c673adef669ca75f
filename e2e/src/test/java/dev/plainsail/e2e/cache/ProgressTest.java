package dev.plainsail.e2e.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class ProgressTest {

    private final AtomicLong now = new AtomicLong();
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    @Test
    void linesAwayFromATerminalComeAtTheStartTheEndAndEachHalfMinute() {
        try (Progress.Step step = begin(false)) {
            step.note("10 MB");
            pass(Duration.ofSeconds(31));
            step.note("20 MB");
            pass(Duration.ofSeconds(2));
            step.note("30 MB");
            step.done();
        }
        assertThat(said()).isEqualTo("""
                Getting it ...
                Getting it ... 31.0 s, 20 MB
                Getting it: done after 33.0 s
                """);
    }

    @Test
    void aTerminalsLineIsRenewedInPlace() {
        try (Progress.Step step = begin(true)) {
            pass(Duration.ofMillis(1500));
            step.note("10 MB");
        }
        assertThat(said()).isEqualTo("\r\033[KGetting it ... 1.5 s, 10 MB\r\033[KGetting it: failed after 1.5 s\n");
    }

    @Test
    void timesAreReadable() {
        assertThat(Progress.elapsed(Duration.ofMillis(8_400))).isEqualTo("8.4 s");
        assertThat(Progress.elapsed(Duration.ofSeconds(90))).isEqualTo("1 min 30 s");
        assertThat(Progress.elapsed(Duration.ofMinutes(64))).isEqualTo("1 h 4 min");
    }

    private Progress.Step begin(boolean terminal) {
        return Progress.to(new PrintStream(said, true, StandardCharsets.UTF_8), terminal, now::get)
                .begin("Getting it");
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private String said() {
        return said.toString(StandardCharsets.UTF_8);
    }
}
