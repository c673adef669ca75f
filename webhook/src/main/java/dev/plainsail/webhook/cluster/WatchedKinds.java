package dev.plainsail.webhook.cluster;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.kubernetes.model.jackson.Jackson2JdkTypesModule;
import tools.jackson.databind.json.JsonMapper;

/**
 * The kinds that come in events of a watch and have a class of their own, which the client must find by the kind's name.
 * Left to itself it loads all of its model for that, a thousand classes.
 */
final class WatchedKinds {

    private WatchedKinds() {}

    /** As the client's own, but for the kinds: others become {@code GenericKubernetesResource}. */
    static KubernetesSerialization serialization() {
        KubernetesSerialization serialization = new KubernetesSerialization(
                JsonMapper.builderWithJackson2Defaults()
                        .addModule(new Jackson2JdkTypesModule())
                        .build(),
                false);
        serialization.registerKubernetesResource(LabelledPod.class);
        serialization.registerKubernetesResource(Status.class);
        return serialization;
    }
}
