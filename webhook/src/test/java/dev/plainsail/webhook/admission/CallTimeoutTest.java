package dev.plainsail.webhook.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CallTimeoutTest {

    @ParameterizedTest
    @CsvSource({
        "10s, 10000000000",
        "30s, 30000000000",
        "1m0s, 60000000000",
        "1m30s, 90000000000",
        "1h2m3.5s, 3723500000000",
        "2.5s, 2500000000",
        "1.s, 1000000000",
        ".5s, 500000000",
        "+5s, 5000000000",
        "100ms, 100000000",
        "7us, 7000",
        "7µs, 7000",
        "7μs, 7000",
        "9ns, 9",
        "5s5s, 10000000000",
        "0h1s, 1000000000"
    })
    void durationsAsGoSpellsThem(String text, long nanos) {
        assertThat(CallTimeout.parse(text)).hasValue(Duration.ofNanos(nanos));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "0s",
                "10",
                "s",
                "+",
                ".s",
                "1x",
                "-5s",
                "5 s",
                " 5s",
                "5s ",
                "5S",
                "1e3s",
                "0.1ns",
                "1d",
                "１s",
                "99999999999999999999h",
                "5s;5s",
                "ten seconds"
            })
    void whatLeavesNoTimeOrIsNoDurationIsEmpty(String text) {
        assertThat(CallTimeout.parse(text)).isEmpty();
    }

    @Test
    void withoutATimeoutTheApisDefaultHolds() {
        assertThat(CallTimeout.parse(null)).hasValue(Duration.ofSeconds(10));
    }

    @Test
    void lookingGetsAtMostHalf() {
        assertThat(CallTimeout.forLooking(Duration.ofSeconds(10))).isEqualTo(Duration.ofSeconds(2));
        assertThat(CallTimeout.forLooking(Duration.ofSeconds(2))).isEqualTo(Duration.ofSeconds(1));
        assertThat(CallTimeout.forLooking(Duration.ofMillis(-8))).isNegative();
    }
}
