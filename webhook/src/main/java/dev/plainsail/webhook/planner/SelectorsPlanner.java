package dev.plainsail.webhook.planner;

import dev.plainsail.dra.DeviceRequest;
import dev.plainsail.dra.cel.Checked;
import dev.plainsail.dra.cel.DeviceExpressions;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.Change;
import dev.plainsail.webhook.plan.Intent.Asked;
import dev.plainsail.webhook.plan.Intent.Devices;
import dev.plainsail.webhook.plan.Planner;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.Reason;
import dev.plainsail.webhook.plan.Subject;
import java.util.List;

/** Changes nothing; refuses CEL that every API server refuses, and says what it cannot judge. */
final class SelectorsPlanner implements Planner {

    private final DeviceExpressions expressions;

    SelectorsPlanner(DeviceExpressions expressions) {
        this.expressions = expressions;
    }

    @Override
    public List<Change> plan(Subject subject, Problems problems) {
        subject.intent().devices().ifPresent(asked -> {
            if (asked.value() instanceof Devices.These these) {
                these.claim().requests().forEach(request -> check(request, asked, problems));
            }
        });
        return List.of();
    }

    private void check(DeviceRequest request, Asked<Devices> asked, Problems problems) {
        request.selections().stream()
                .flatMap(selection -> selection.selectors().stream())
                .forEach(expression -> {
                    switch (expressions.check(expression)) {
                        case Checked.Wrong(String message) ->
                            problems.refuse(Reason.BAD_CEL, asked.written(), expression, message);
                        case Checked.Unsure(String message) ->
                            problems.warn(
                                    Caution.CEL_UNSURE,
                                    asked.written(),
                                    "the API server may refuse the condition of request " + request.name() + ": "
                                            + message);
                        case Checked.Usable usable -> {}
                        case Checked.Untried untried -> {}
                    }
                });
    }
}
