package dev.plainsail.webhook.planner;

import dev.plainsail.dra.DeviceRequest;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.Reason;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.plan.Written;
import java.util.Optional;
import java.util.OptionalLong;

/** The arithmetic between parallelism and devices: per pod, tensor x pipeline x data-local / pods that one engine spans. */
final class DeviceCount {

    private DeviceCount() {}

    /** Empty if nothing about parallelism is known, or if it does not come out even, which is refused here. */
    static OptionalLong perPod(Subject subject, Problems problems) {
        Optional<Spread> known = Spread.of(subject).filter(Spread::isKnown);
        if (known.isEmpty()) {
            return OptionalLong.empty();
        }
        Spread spread = known.get();
        int pods = spread.podsOfOneEngine(subject.pod().position().size());
        if (spread.devicesOfAllPods() % pods != 0) {
            String detail =
                    spread.formula() + " = " + spread.devicesOfAllPods() + " devices cannot be shared evenly by the "
                            + pods + " pods of a group; change the parallelism or the group's size";
            spread.written()
                    .ifPresentOrElse(
                            written -> problems.refuse(Reason.COUNT_NOT_WHOLE, written, detail),
                            () -> subject.main()
                                    .ifPresent(main -> problems.refuseField(
                                            Reason.COUNT_NOT_WHOLE, main.path() + ".args", "", detail)));
            return OptionalLong.empty();
        }
        return OptionalLong.of(spread.devicesOfAllPods() / pods);
    }

    /** @param perPod from {@link #perPod} */
    static void compare(
            Subject subject, DeviceRequest request, OptionalLong perPod, Written written, Problems problems) {
        OptionalLong count = request.count();
        if (count.isEmpty()) {
            return;
        }
        if (perPod.isEmpty()) {
            boolean isIdle = count.getAsLong() > 1
                    && subject.arguments().isPresent()
                    && Spread.of(subject).filter(spread -> !spread.isKnown()).isPresent()
                    && !subject.arguments().get().hasOpaqueWord();
            if (isIdle) {
                problems.warn(
                        Caution.DEVICES_IDLE,
                        written,
                        "asks for " + count.getAsLong()
                                + " devices, but the engine is told to use one; write plainsail.dev/parallelism:"
                                + " \"tensor=" + count.getAsLong() + "\"");
            }
            return;
        }
        if (count.getAsLong() == perPod.getAsLong()) {
            return;
        }
        String formula = Spread.of(subject).map(Spread::formula).orElse("the parallelism");
        problems.refuse(
                Reason.COUNT_DOES_NOT_MATCH,
                written,
                "request " + request.name() + " asks for " + count.getAsLong() + ", but " + formula + " needs "
                        + perPod.getAsLong() + " devices in each pod; write x" + perPod.getAsLong()
                        + " or change the parallelism");
    }

    static void compareLimit(Subject subject, MappedLimit limit, OptionalLong perPod, Problems problems) {
        if (perPod.isEmpty() || perPod.getAsLong() == limit.count()) {
            return;
        }
        String formula = Spread.of(subject).map(Spread::formula).orElse("the parallelism");
        Optional<Written> parallelism = subject.intent().parallelism().map(asked -> asked.written());
        if (parallelism.isPresent()) {
            problems.refuse(
                    Reason.COUNT_DOES_NOT_MATCH,
                    parallelism.get(),
                    formula + " needs " + perPod.getAsLong() + " devices in each pod, but " + limit.path() + " is "
                            + limit.count() + "; make them equal");
            return;
        }
        problems.warnField(
                Caution.COUNT_DIFFERS_FROM_LIMIT,
                limit.path(),
                "is " + limit.count() + ", but the engine's own flags (" + formula + ") need " + perPod.getAsLong()
                        + " devices");
    }
}
