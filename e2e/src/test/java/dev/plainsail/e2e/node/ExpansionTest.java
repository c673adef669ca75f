package dev.plainsail.e2e.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.lists;
import static org.quicktheories.generators.SourceDSL.strings;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ExpansionTest {

    private static final Map<String, String> KNOWN = Map.of("A", "1", "B_2", "two", "EMPTY", "", "LOOP", "$(A)");

    @ParameterizedTest
    @CsvSource({
        "plain,plain",
        "$(A),1",
        "x$(A)$(B_2)y,x1twoy",
        "$(EMPTY)|,|",
        "$(UNKNOWN),$(UNKNOWN)",
        "$$(A),$(A)",
        "$$$(A),$1",
        "$$$$(A),$$(A)",
        "$,$",
        "a$,a$",
        "$A,$A",
        "$(A,$(A",
        "$(,$(",
        "$((A),$((A)",
        "$()|,$()|",
        "$(LOOP),$(A)",
    })
    void isTheKubelets(String text, String expanded) {
        assertThat(Expansion.expand(text, KNOWN)).isEqualTo(expanded);
    }

    @Test
    void anyTextWithDoubledDollarsComesOutAsItWas() {
        qt().forAll(strings().basicLatinAlphabet().ofLengthBetween(0, 40))
                .check(text -> Expansion.expand(text.replace("$", "$$"), KNOWN).equals(text));
    }

    @Test
    void piecesBuiltFromThePartsOfTheGrammarNeverThrow() {
        qt().forAll(lists().of(strings().betweenCodePoints('$', ')').ofLengthBetween(0, 4))
                        .ofSizeBetween(0, 12))
                .check(parts -> Expansion.expand(String.join("A", parts), KNOWN) != null);
    }
}
