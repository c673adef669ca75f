package dev.plainsail.webhook.plan;

import dev.plainsail.webhook.plan.Intent.EngineArgument;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Grammar of {@code engine-args}: shell words, grouped by the flag that they follow. */
final class EngineArgsReader {

    private EngineArgsReader() {}

    static Optional<List<EngineArgument>> read(Written written, Problems problems) {
        return switch (ShellWords.split(written.value())) {
            case ShellWords.Split.Wrong(String badValue, String detail) -> {
                problems.refuse(Reason.BAD_VALUE, written, badValue, detail);
                yield Optional.empty();
            }
            case ShellWords.Split.Words(List<String> words) -> grouped(words, written, problems);
        };
    }

    private static Optional<List<EngineArgument>> grouped(List<String> words, Written written, Problems problems) {
        List<EngineArgument> result = new ArrayList<>();
        int i = 0;
        while (i < words.size()) {
            String flag = words.get(i);
            if (!isFlag(flag)) {
                problems.refuse(
                        Reason.BAD_VALUE,
                        written,
                        flag,
                        "engine-args are flags, each starting with '-'; the model has an annotation of its own, `plainsail.dev/model`");
                return Optional.empty();
            }
            int end = i + 1;
            while (end < words.size() && !isFlag(words.get(end))) {
                end++;
            }
            int equals = flag.indexOf('=');
            result.add(new EngineArgument(equals < 0 ? flag : flag.substring(0, equals), words.subList(i, end)));
            i = end;
        }
        if (result.isEmpty()) {
            problems.refuse(
                    Reason.BAD_VALUE, written, "is empty; write flags, as in --max-model-len 8192, or leave it out");
            return Optional.empty();
        }
        return Optional.of(result);
    }

    private static boolean isFlag(String word) {
        return word.length() > 1
                && !word.equals("--")
                && word.charAt(0) == '-'
                && !(word.charAt(1) >= '0' && word.charAt(1) <= '9');
    }
}
