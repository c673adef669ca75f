package dev.plainsail.epp.configuration;

import dev.plainsail.epp.scheduling.EndpointAttribute;
import dev.plainsail.epp.scheduling.filter.AttributeFilter;
import dev.plainsail.epp.scheduling.filter.AttributeFilter.Operator;
import dev.plainsail.epp.scheduling.scorer.AttributeScorer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The plugins that look at values named by {@code customMetrics}. */
final class AttributeReader {
    private static final double FAR = Integer.MAX_VALUE;

    private AttributeReader() {}

    static AttributeFilter filter(Parameters p) {
        p.accepted("producer");
        EndpointAttribute attribute = new EndpointAttribute(p.text("attribute", null));
        String missing = p.text("onMissing", "Pass");
        if (!missing.equals("Pass") && !missing.equals("Fail")) {
            p.problem("onMissing", "'" + missing + "': write Pass or Fail");
        }
        boolean allWhenEmpty = p.flag("fallbackOnEmpty", false);
        Parameters algorithm = p.object("algorithm");
        if (!algorithm.text("type", "threshold").equals("threshold")) {
            algorithm.problem("type", "write threshold");
        }
        Parameters threshold = algorithm.object("threshold");
        Operator operator = operator(threshold);
        double limit = threshold.decimal("value", 0, -FAR, FAR);
        threshold.done();
        algorithm.done();
        return new AttributeFilter(
                attribute, new AttributeFilter.Rule(operator, limit, missing.equals("Pass"), allWhenEmpty));
    }

    private static Operator operator(Parameters p) {
        String word = p.text("operator", "LessThan");
        for (Operator operator : Operator.values()) {
            if (operator.word().equals(word)) {
                return operator;
            }
        }
        String words = Stream.of(Operator.values()).map(Operator::word).collect(Collectors.joining(", "));
        p.problem("operator", "'" + word + "': write one of " + words);
        return Operator.LESS_THAN;
    }

    static AttributeScorer scorer(Parameters p) {
        p.accepted("producer");
        EndpointAttribute attribute = new EndpointAttribute(p.text("attributeKey", null));
        Parameters algorithm = p.object("algorithm");
        String type = algorithm.text("type", "linear_lower_is_better");
        if (!type.equals("linear_lower_is_better") && !type.equals("linear_higher_is_better")) {
            algorithm.problem("type", "'" + type + "': write linear_lower_is_better or linear_higher_is_better");
        }
        Parameters normalization = algorithm.object("normalization");
        normalization.accepted("adaptiveRange");
        double min = Double.NaN;
        double max = Double.NaN;
        if (normalization.has("fixedRange")) {
            Parameters range = normalization.object("fixedRange");
            min = range.decimal("min", 0, -FAR, FAR);
            max = range.decimal("max", 1, -FAR, FAR);
            if (max <= min) {
                range.problem("max", "must be above min");
            }
            range.done();
        }
        normalization.accepted("fixedRange");
        normalization.done();
        algorithm.done();
        return new AttributeScorer(attribute, type.equals("linear_lower_is_better"), min, max);
    }
}
