package dev.plainsail.webhook.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.Test;

class RefusedTest {

    @Test
    void namespaceThatEndsIsKnownByItsCauseAndNotByWords() {
        Status ends = new StatusBuilder()
                .withMessage("no")
                .withNewDetails()
                .addNewCause("metadata.namespace", "namespace a is being terminated", "NamespaceTerminating")
                .endDetails()
                .build();
        assertThat(kind(403, ends)).isEqualTo(Refused.Kind.NAMESPACE_ENDS);
        Status quota = new StatusBuilder()
                .withMessage("exceeded quota: is being terminated")
                .build();
        assertThat(kind(403, quota)).isEqualTo(Refused.Kind.FORBIDDEN);
        assertThat(kind(404, quota)).isEqualTo(Refused.Kind.NAMESPACE_ENDS);
    }

    @Test
    void badObjectsAreToldFromTroubleThatPasses() {
        Status any = new StatusBuilder().withMessage("no").build();
        assertThat(kind(400, any)).isEqualTo(Refused.Kind.INVALID);
        assertThat(kind(422, any)).isEqualTo(Refused.Kind.INVALID);
        assertThat(kind(500, any)).isEqualTo(Refused.Kind.UNAVAILABLE);
        assertThat(kind(429, any)).isEqualTo(Refused.Kind.UNAVAILABLE);
    }

    private static Refused.Kind kind(int code, Status status) {
        return Refused.of(new KubernetesClientException("no", code, status)).kind();
    }
}
