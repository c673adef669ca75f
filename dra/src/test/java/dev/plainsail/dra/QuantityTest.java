package dev.plainsail.dra;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityTest {

    @ParameterizedTest
    @CsvSource({
        "0,0", "1,1", "1000,1k", "1024,1024", "1024Ki,1Mi", "1536Mi,1536Mi", "40960Mi,40Gi", "0.5Gi,512Mi",
                "1.5Gi,1536Mi", "100Ki,100Ki",
        "0.1,100m", "1500m,1500m", "1e3,1e3", "1E3,1e3", "12e4,120e3", "1E,1E", "1Ei,1Ei", "1000000,1M",
                "1500000,1500k", "-1Gi,-1Gi",
        "0.0000000001,1n", "1n,1n", "0.5Ki,512", "0.0001Ki,102400u", "+3,3", ".5,500m", "5.,5", "0Gi,0"
    })
    void spellsAsTheApiServerDoes(String text, String canonical) {
        assertThat(Quantity.parse(text).orElseThrow().toString()).isEqualTo(canonical);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Gi", "1gi", "1GiB", "1 Gi", "0x10", "1e", "--1", "1K", "٤", "1e9999"})
    void refusesWhatIsNone(String text) {
        assertThat(Quantity.parse(text)).isEmpty();
    }

    @Test
    void theCanonicalSpellingReadsBackAsTheSame() {
        SplittableRandom random = new SplittableRandom(1);
        String[] suffixes = {
            "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "n", "u", "m", "k", "M", "G", "T", "P", "E", "e3", "e-3", "E12"
        };
        for (int i = 0; i < 5000; i++) {
            BigDecimal number = BigDecimal.valueOf(random.nextLong(-100_000, 100_000), random.nextInt(4));
            Quantity quantity = Quantity.parse(number.toPlainString() + suffixes[random.nextInt(suffixes.length)])
                    .orElseThrow();
            Quantity again = Quantity.parse(quantity.toString()).orElseThrow();
            assertThat(again).isEqualTo(quantity).isEqualByComparingTo(quantity);
        }
    }
}
