package dev.plainsail.webhook.cluster;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;

/**
 * A pod as the watch for our label reads it: the rest of the text is skipped. The client's own Pod costs 200 classes and
 * their annotations, a second of the start, and for each page of 500 the memory of all specs.
 */
@Group("")
@Version("v1")
@Kind("Pod")
@Plural("pods")
@JsonDeserialize(using = ValueDeserializer.None.class)
@JsonIgnoreProperties(ignoreUnknown = true)
public final class LabelledPod implements HasMetadata, Namespaced {
    private ObjectMeta metadata = new ObjectMeta();
    private @Nullable Status status;

    /** The part of a pod's status that says how far it has come. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Status(
            @Nullable String phase,
            @Nullable List<Condition> conditions,
            @Nullable List<GeneratedClaim> resourceClaimStatuses) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Condition(@Nullable String type) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    public record GeneratedClaim(
            @Nullable String name, @Nullable String resourceClaimName) {}

    @Override
    public ObjectMeta getMetadata() {
        return metadata;
    }

    @Override
    public void setMetadata(ObjectMeta metadata) {
        this.metadata = metadata;
    }

    public @Nullable Status getStatus() {
        return status;
    }

    public void setStatus(@Nullable Status status) {
        this.status = status;
    }

    @Override
    public String getApiVersion() {
        return "v1";
    }

    /** It is of one version: the client sets what it read. */
    @Override
    public void setApiVersion(String version) {}
}
