package dev.plainsail.webhook.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Words as a real shell splits them; and back. */
class ShellWordsTest {

    private static final String[] PIECES = {
        "a", "-x", "=", " ", "  ", "\t", "'", "\"", "\\", "\\\n", "\n", "é", "'q r'", "\"s t\"", "\\$", "\\\"", "%",
        "{}", "!", "a#", "~", "^"
    };

    @Test
    void splitsAsAShellDoes() throws Exception {
        SplittableRandom random = new SplittableRandom(20261130);
        int accepted = 0;
        for (int i = 0; i < 400; i++) {
            StringBuilder text = new StringBuilder();
            int length = random.nextInt(1, 12);
            for (int j = 0; j < length; j++) {
                text.append(PIECES[random.nextInt(PIECES.length)]);
            }
            if (ShellWords.split(text.toString()) instanceof ShellWords.Split.Words words && text.indexOf("\n") < 0) {
                accepted++;
                String ours =
                        words.words().stream().map(word -> "<" + word + ">").collect(Collectors.joining());
                assertThat(ours).as(text.toString()).isEqualTo(bySh(text.toString()));
            }
        }
        assertThat(accepted).isGreaterThan(50);
    }

    private static String bySh(String words) throws Exception {
        Process process = new ProcessBuilder(
                        "/bin/sh", "-c", "set -f; show() { for w; do printf '<%s>' \"$w\"; done; }; show " + words)
                .redirectErrorStream(true)
                .start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void quotedWordsSplitBackToThemselves() {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 2000; i++) {
            String word = random.ints(random.nextInt(0, 12), 32, 0x250)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
            assertThat(ShellWords.split(ShellQuote.quoted(word)))
                    .as(word)
                    .isEqualTo(new ShellWords.Split.Words(List.of(word)));
        }
    }
}
