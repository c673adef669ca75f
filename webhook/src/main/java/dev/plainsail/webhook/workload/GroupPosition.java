package dev.plainsail.webhook.workload;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Which pod of a LeaderWorkerSet group this is. LeaderWorkerSet tells by labels and annotations of its pods; before it
 * has written them, the pod's name tells.
 *
 * @param size pods of one group; 1 outside of LeaderWorkerSet
 * @param index 0 is the leader; empty in a template that serves leader and workers alike
 */
public record GroupPosition(int size, OptionalInt index) {

    public static final GroupPosition ALONE = new GroupPosition(1, OptionalInt.of(0));

    private static final String PREFIX = "leaderworkerset.sigs.k8s.io/";
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,6}");
    private static final Pattern WORKER_NAME = Pattern.compile(".*-[0-9]+-([0-9]{1,6})");

    static GroupPosition leader(int size) {
        return new GroupPosition(size, OptionalInt.of(0));
    }

    /** Some worker; every worker is planned alike but for its rank, so 1 stands for all. */
    static GroupPosition worker(int size) {
        return new GroupPosition(size, OptionalInt.of(1));
    }

    static GroupPosition either(int size) {
        return new GroupPosition(size, OptionalInt.empty());
    }

    static int sizeOf(JsonNode leaderWorkerSet) {
        JsonNode size =
                leaderWorkerSet.path("spec").path("leaderWorkerTemplate").path("size");
        return Math.max(1, Trees.whole(size).orElse(1));
    }

    /** Of a pod, from what LeaderWorkerSet wrote on it. */
    static GroupPosition of(Map<String, String> labels, Map<String, String> annotations, String name) {
        if (!labels.containsKey(PREFIX + "name")) {
            return ALONE;
        }
        int size = Math.max(1, number(annotations.get(PREFIX + "size")).orElse(1));
        OptionalInt index = number(labels.get(PREFIX + "worker-index"));
        if (index.isEmpty()) {
            Matcher worker = WORKER_NAME.matcher(name);
            index = annotations.containsKey(PREFIX + "leader-name") && worker.matches()
                    ? OptionalInt.of(Integer.parseInt(worker.group(1)))
                    : OptionalInt.of(0);
        }
        return new GroupPosition(size, index);
    }

    private static OptionalInt number(@org.jspecify.annotations.Nullable String text) {
        return Optional.ofNullable(text)
                .filter(digits -> NUMBER.matcher(digits).matches())
                .map(digits -> OptionalInt.of(Integer.parseInt(digits)))
                .orElse(OptionalInt.empty());
    }

    public boolean isGroup() {
        return size > 1;
    }

    /** Surely not the leader. */
    public boolean isWorker() {
        return index.isPresent() && index.getAsInt() > 0;
    }
}
