package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.engine.Engine.ExpertWish;
import dev.plainsail.webhook.engine.EngineOption;
import dev.plainsail.webhook.plan.Intent.Parallelism;
import dev.plainsail.webhook.plan.Reason;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.plan.Written;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** {@code parallelism} in the engine's own spelling. */
final class ParallelismArguments implements ArgumentSource {

    @Override
    public void offer(Subject subject, Offers offers) {
        subject.intent().parallelism().ifPresent(asked -> {
            Parallelism parallelism = asked.value();
            Written written = asked.written();
            size(offers, EngineOption.TENSOR, parallelism.tensor(), written);
            size(offers, EngineOption.PIPELINE, parallelism.pipeline(), written);
            size(offers, EngineOption.DATA, parallelism.data(), written);
            parallelism.dataLocal().ifPresent(local -> dataLocal(subject, offers, local, written));
            parallelism.expert().ifPresent(wish -> expert(offers, wish, written));
        });
    }

    private static void size(Offers offers, EngineOption option, OptionalInt size, Written written) {
        size.ifPresent(value -> offers.written(option, Integer.toString(value), written));
    }

    private static void dataLocal(Subject subject, Offers offers, int local, Written written) {
        int data = subject.intent().parallelism().orElseThrow().value().data().orElse(1);
        int pods = subject.pod().position().size();
        boolean isWrong = pods == 1 ? local > data : (long) local * pods != data;
        if (isWrong) {
            offers.problems().refuse(Reason.COUNT_NOT_WHOLE, written, dataLocalDetail(data, pods, local));
            return;
        }
        if (offers.engine().flags().flag(EngineOption.DATA_LOCAL).isPresent()) {
            offers.written(EngineOption.DATA_LOCAL, Integer.toString(local), written);
        }
    }

    private static String dataLocalDetail(int data, int pods, int local) {
        if (pods == 1) {
            return "data-local is the part of data=" + data + " that runs in one pod and cannot be " + local;
        }
        return data % pods == 0
                ? "data=" + data + " over the " + pods + " pods of a group is data-local=" + data / pods + ", not "
                        + local
                : "data=" + data + " cannot be shared evenly by the " + pods
                        + " pods of a group; change it or the group's size";
    }

    private static void expert(Offers offers, ExpertWish wish, Written written) {
        Optional<List<String>> words = offers.engine().expert(wish);
        if (words.isEmpty()) {
            offers.problems()
                    .refuse(
                            Reason.NOT_FOR_ENGINE,
                            written,
                            wish instanceof ExpertWish.Size
                                    ? "vLLM switches expert parallelism on or off and takes no number; write expert"
                                    : "SGLang wants to know how many; write expert=N");
            return;
        }
        switch (wish) {
            case ExpertWish.Switch(boolean on) -> {
                if (offers.engine().name().equals("vllm")) {
                    offers.toggle(EngineOption.EXPERT, on, words.get(), written);
                }
            }
            case ExpertWish.Size(int experts) ->
                offers.written(EngineOption.EXPERT, Integer.toString(experts), written);
        }
    }
}
