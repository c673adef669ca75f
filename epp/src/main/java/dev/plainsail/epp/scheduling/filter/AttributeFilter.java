package dev.plainsail.epp.scheduling.filter;

import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.EndpointAttribute;
import dev.plainsail.epp.scheduling.Filter;
import dev.plainsail.epp.scheduling.InferenceRequest;

/** Keeps the endpoints of which a reported value stands in a relation to a limit. */
public final class AttributeFilter implements Filter {
    /** The constants' words are llm-d's. */
    public enum Operator {
        LESS_THAN("LessThan"),
        LESS_THAN_OR_EQUAL("LessThanOrEqual"),
        GREATER_THAN("GreaterThan"),
        GREATER_THAN_OR_EQUAL("GreaterThanOrEqual"),
        EQUAL("Equal"),
        NOT_EQUAL("NotEqual");

        private final String word;

        Operator(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }

        boolean holds(double value, double limit) {
            return switch (this) {
                case LESS_THAN -> value < limit;
                case LESS_THAN_OR_EQUAL -> value <= limit;
                case GREATER_THAN -> value > limit;
                case GREATER_THAN_OR_EQUAL -> value >= limit;
                case EQUAL -> Double.compare(value, limit) == 0;
                case NOT_EQUAL -> Double.compare(value, limit) != 0;
            };
        }
    }

    /** @param missingPass whether endpoints that do not say stay */
    public record Rule(Operator operator, double limit, boolean missingPass, boolean allWhenEmpty) {}

    private final EndpointAttribute attribute;
    private final Rule rule;

    public AttributeFilter(EndpointAttribute attribute, Rule rule) {
        this.attribute = attribute;
        this.rule = rule;
    }

    @Override
    public Candidates filter(InferenceRequest request, Candidates candidates) {
        Candidates left = candidates.where(position -> {
            double value = attribute.of(candidates, position);
            return Double.isNaN(value) ? rule.missingPass() : rule.operator().holds(value, rule.limit());
        });
        return left.size() == 0 && rule.allWhenEmpty() ? candidates : left;
    }
}
