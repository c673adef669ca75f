package dev.plainsail.epp.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class WarmupTest {
    @Test
    void playsAsManyStreamsAsAskedForUnlessTheTimeIsUp() throws IOException, InterruptedException {
        assertThat(Warmup.run(100, Duration.ofMinutes(10))).isEqualTo(100);
        assertThat(Warmup.run(1_000_000, Duration.ofMillis(50))).isLessThan(1_000_000);
    }
}
