package dev.plainsail.e2e.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.strings;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class TokenizerTest {
    @Test
    void aCommonBeginningGivesCommonTokensButForTheLast() {
        qt().forAll(
                        strings().allPossible().ofLengthBetween(0, 60),
                        strings().allPossible().ofLengthBetween(0, 20))
                .checkAssert((text, more) -> {
                    int[] whole = Tokenizer.tokens(text + more);
                    int[] part = Tokenizer.tokens(text);
                    // A special token that the rest completes begins at most 32 characters before the end.
                    int sure = text.contains("<") ? 0 : Math.max(0, part.length - 1);
                    assertThat(Arrays.copyOf(whole, sure)).isEqualTo(Arrays.copyOf(part, sure));
                    assertThat(Arrays.stream(whole).allMatch(id -> id >= 0)).isTrue();
                });
    }

    @Test
    void whatAnEngineSaysIsOneTokenAWord() {
        qt().forAll(integers().all()).checkAssert(seed -> {
            Words words = new Words(seed);
            StringBuilder text = new StringBuilder();
            int[] expected = new int[20];
            for (int i = 0; i < 20; i++) {
                String word = words.next();
                text.append(word);
                expected[i] = Tokenizer.tokens(word)[0];
            }
            assertThat(Tokenizer.tokens(text)).isEqualTo(expected);
        });
    }

    @Test
    void piecesAreOfTheSizeOfRealOnes() {
        assertThat(Tokenizer.tokens("<|im_start|>user\nhello<|im_end|>\n")).hasSize(6);
        assertThat(Tokenizer.tokens("the quick brown fox")).hasSize(4);
        assertThat(Tokenizer.tokens("<|not a token")).hasSizeGreaterThan(3);
    }
}
