package dev.plainsail.webhook.workload;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The kubelet's {@code $(NAME)} in command, args and values, resolved as far as the pod itself tells. */
public final class Variables {

    private static final Pattern REFERENCE = Pattern.compile("\\$\\$|\\$\\(([A-Za-z_][-A-Za-z0-9_.]*)\\)");

    private Variables() {}

    /** References to variables with a plain value become that value, others {@link Word#UNKNOWN}; {@code $$} is a dollar. */
    public static Word resolved(String written, ContainerView container) {
        if (written.indexOf('$') < 0) {
            return new Word(written);
        }
        Matcher matcher = REFERENCE.matcher(written);
        StringBuilder text = new StringBuilder();
        while (matcher.find()) {
            String name = matcher.group(1);
            String value = name == null ? "$" : value(name, container);
            matcher.appendReplacement(text, Matcher.quoteReplacement(value));
        }
        matcher.appendTail(text);
        return new Word(text.toString(), written);
    }

    private static String value(String name, ContainerView container) {
        return container
                .variable(name)
                .filter(variable ->
                        !variable.isFromElsewhere() && variable.value().indexOf('$') < 0)
                .map(ContainerView.Variable::value)
                .orElse(String.valueOf(Word.UNKNOWN));
    }
}
