package dev.plainsail.webhook.admission;

import java.util.List;
import java.util.SplittableRandom;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Random pods and workloads: mostly sensible, sometimes odd. The same seed gives the same object. */
public final class RandomObjects {

    private static final List<String> KINDS =
            List.of("Pod", "Pod", "Pod", "Deployment", "StatefulSet", "Job", "CronJob", "LeaderWorkerSet");

    private final SplittableRandom random;

    public RandomObjects(long seed) {
        random = new SplittableRandom(seed);
    }

    /** A pod that the API server takes as it is, given a RuntimeClass {@code nvidia}. */
    public ObjectNode pod() {
        ObjectNode pod = JsonNodeFactory.instance.objectNode();
        pod.put("apiVersion", "v1").put("kind", "Pod");
        new RandomPod(random).fill(pod);
        ((ObjectNode) pod.get("metadata")).put("name", "p");
        // Else its token's volume has another name each time.
        ((ObjectNode) pod.get("spec")).put("automountServiceAccountToken", false);
        return pod;
    }

    /** Any kind, some with what no API server would let through to us. */
    ObjectNode next() {
        String kind = KINDS.get(random.nextInt(KINDS.size()));
        if (kind.equals("Pod")) {
            return withOddLabel(pod());
        }
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("apiVersion", apiVersion(kind)).put("kind", kind);
        ObjectNode metadata = object.putObject("metadata");
        metadata.put("name", "w");
        RandomAnnotations.add(metadata, 3, random);
        ObjectNode spec = object.putObject("spec");
        switch (kind) {
            case "CronJob" ->
                fill(spec.putObject("jobTemplate").putObject("spec").putObject("template"));
            case "LeaderWorkerSet" -> {
                ObjectNode template = spec.putObject("leaderWorkerTemplate").put("size", random.nextInt(1, 4));
                if (random.nextBoolean()) {
                    fill(template.putObject("leaderTemplate"));
                }
                fill(template.putObject("workerTemplate"));
            }
            default -> fill(spec.put("replicas", 2).putObject("template"));
        }
        return object;
    }

    private static String apiVersion(String kind) {
        return switch (kind) {
            case "Job", "CronJob" -> "batch/v1";
            case "LeaderWorkerSet" -> "leaderworkerset.x-k8s.io/v1";
            default -> "apps/v1";
        };
    }

    private void fill(ObjectNode template) {
        new RandomPod(random).fill(template);
        withOddLabel(template);
    }

    private ObjectNode withOddLabel(ObjectNode pod) {
        if (random.nextInt(5) == 0) {
            pod.withObject("/metadata").withObject("/labels").put("a/b~c", "d");
        }
        return pod;
    }
}
