package dev.plainsail.webhook.plan;

import dev.plainsail.webhook.engine.Engine.ExpertWish;
import dev.plainsail.webhook.plan.Intent.Parallelism;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Grammar of {@code parallelism}: {@code tensor=4, pipeline=2, expert}. */
final class ParallelismReader {

    private static final List<String> SIZES = List.of("tensor", "pipeline", "data", "data-local");
    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,4}");

    private ParallelismReader() {}

    static Optional<Parallelism> read(Written written, Problems problems) {
        Map<String, Integer> sizes = new HashMap<>();
        @Nullable ExpertWish expert = null;
        boolean isGood = true;
        for (String part : written.value().split(",", -1)) {
            String item = part.trim();
            int equals = item.indexOf('=');
            String name = equals < 0 ? item : item.substring(0, equals).trim();
            String value = equals < 0 ? "" : item.substring(equals + 1).trim();
            if (name.equals("expert")) {
                @Nullable ExpertWish wish = expert(equals < 0, value);
                if (wish == null || expert != null) {
                    isGood = refuse(
                            problems,
                            written,
                            item,
                            expert != null
                                    ? "expert is there twice; keep one"
                                    : "write expert, expert=true, expert=false, or for SGLang expert=N");
                } else {
                    expert = wish;
                }
            } else if (!SIZES.contains(name)) {
                isGood = refuse(
                        problems,
                        written,
                        item,
                        "write tensor=N, pipeline=N, data=N, data-local=N or expert, with commas between"
                                + (name.isEmpty()
                                        ? ""
                                        : IntentReader.didYouMean(
                                                name, List.of("tensor", "pipeline", "data", "data-local", "expert"))));
            } else if (!NUMBER.matcher(value).matches()) {
                isGood = refuse(problems, written, item, "write " + name + "=N with N a whole number from 1 to 99999");
            } else if (sizes.put(name, Integer.parseInt(value)) != null) {
                isGood = refuse(problems, written, item, name + " is there twice; keep one");
            }
        }
        if (isGood && sizes.containsKey("data-local") && !sizes.containsKey("data")) {
            isGood = refuse(
                    problems,
                    written,
                    written.value(),
                    "data-local is the part of data that runs in one pod; write data=N, too");
        }
        if (!isGood) {
            return Optional.empty();
        }
        return Optional.of(new Parallelism(
                size(sizes, "tensor"),
                size(sizes, "pipeline"),
                size(sizes, "data"),
                size(sizes, "data-local"),
                Optional.ofNullable(expert)));
    }

    private static boolean refuse(Problems problems, Written written, String badValue, String detail) {
        problems.refuse(Reason.BAD_VALUE, written, badValue, detail);
        return false;
    }

    private static @Nullable ExpertWish expert(boolean isBare, String value) {
        if (isBare || value.equals("true")) {
            return new ExpertWish.Switch(true);
        }
        if (value.equals("false")) {
            return new ExpertWish.Switch(false);
        }
        return NUMBER.matcher(value).matches() ? new ExpertWish.Size(Integer.parseInt(value)) : null;
    }

    private static OptionalInt size(Map<String, Integer> sizes, String name) {
        Integer size = sizes.get(name);
        return size == null ? OptionalInt.empty() : OptionalInt.of(size);
    }
}
