package dev.plainsail.epp.configuration;

import dev.plainsail.epp.scheduling.filter.LabelFilter;
import dev.plainsail.epp.scheduling.filter.LabelSelector;
import dev.plainsail.epp.scheduling.filter.LabelSelector.Operator;
import dev.plainsail.epp.scheduling.filter.LabelSelector.Requirement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Label selectors as Kubernetes writes them in YAML. */
final class SelectorReader {
    private static final Map<String, Operator> OPERATORS = Map.of(
            "In",
            Operator.IN,
            "NotIn",
            Operator.NOT_IN,
            "Exists",
            Operator.EXISTS,
            "DoesNotExist",
            Operator.DOES_NOT_EXIST);

    private SelectorReader() {}

    static LabelSelector read(Parameters p) {
        List<Requirement> requirements = new ArrayList<>();
        p.pairs("matchLabels")
                .forEach((key, value) -> requirements.add(new Requirement(key, Operator.IN, List.of(value))));
        for (Parameters expression : p.objects("matchExpressions")) {
            String key = expression.text("key", null);
            String word = expression.text("operator", null);
            List<String> values = expression.texts("values");
            Operator operator = OPERATORS.get(word);
            expression.done();
            if (operator == null) {
                if (!word.isEmpty()) {
                    expression.problem("operator", "'" + word + "': write In, NotIn, Exists or DoesNotExist");
                }
                continue;
            }
            boolean wantsValues = operator == Operator.IN || operator == Operator.NOT_IN;
            if (wantsValues == values.isEmpty()) {
                expression.problem("values", wantsValues ? "write at least one" : word + " takes none");
            }
            requirements.add(new Requirement(key, operator, values));
        }
        return new LabelSelector(requirements);
    }

    static LabelFilter byLabel(Parameters p) {
        return LabelFilter.oneOf(
                p.text("label", null), Set.copyOf(p.texts("validValues")), p.flag("allowsNoLabel", false));
    }
}
