package dev.plainsail.epp.configuration;

import dev.plainsail.epp.scheduling.filter.UtilizationFilter;
import dev.plainsail.epp.scheduling.filter.UtilizationFilter.Condition;
import dev.plainsail.epp.scheduling.filter.UtilizationFilter.Metric;
import java.util.ArrayList;
import java.util.List;

/** The conditions of the utilization filter. */
final class ConditionReader {
    private ConditionReader() {}

    static UtilizationFilter read(Parameters p) {
        List<Condition> conditions = new ArrayList<>();
        for (Parameters item : p.objects("conditions")) {
            if (!item.has("metric") || !item.has("maxValue")) {
                item.problem("", "a condition has a metric and a maxValue");
            }
            Metric metric = item.word("metric", Metric.ACTIVE_REQUESTS, "-");
            conditions.add(new Condition(metric, item.decimal("maxValue", 0, 0, Integer.MAX_VALUE)));
            item.done();
        }
        return new UtilizationFilter(conditions, p.flag("fallbackOnEmpty", false));
    }
}
