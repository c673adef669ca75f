package dev.plainsail.e2e.node;

import dev.plainsail.e2e.node.ProjectedFolder.Content;
import io.fabric8.kubernetes.api.model.ConfigMapProjection;
import io.fabric8.kubernetes.api.model.ConfigMapVolumeSource;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.DownwardAPIVolumeFile;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ProjectedVolumeSource;
import io.fabric8.kubernetes.api.model.SecretProjection;
import io.fabric8.kubernetes.api.model.SecretVolumeSource;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A pod's volumes as folders: emptyDir, hostPath, configMap, secret, projected, downwardAPI. */
final class PodVolumes {

    private static final int DEFAULT_MODE = 0644;

    private final Pod pod;
    private final Path folder;
    private final ConfigObjects objects;
    private final FieldReferences fields;
    private final Tokens tokens;
    private final UnaryOperator<String> configMapText;
    private final Map<String, ProjectedFolder> projected = new HashMap<>();

    /** Gives a token of the pod's own ServiceAccount. */
    @FunctionalInterface
    interface Tokens {
        String token(@Nullable String audience);
    }

    /** @param configMapText what is done to text files from ConfigMaps, see {@link ConfigMapText} */
    PodVolumes(
            Pod pod,
            Path folder,
            ConfigObjects objects,
            FieldReferences fields,
            Tokens tokens,
            UnaryOperator<String> configMapText) {
        this.pod = pod;
        this.folder = folder;
        this.objects = objects;
        this.fields = fields;
        this.tokens = tokens;
        this.configMapText = configMapText;
    }

    /** Something the volume needs is not there yet; the kubelet shows it as FailedMount and tries again. */
    static final class Missing extends Exception {
        Missing(String message) {
            super(message);
        }
    }

    /** Makes all volumes, or brings them up to date; cheap when nothing changed. */
    void refresh() throws IOException, Missing {
        for (Volume volume : pod.getSpec().getVolumes()) {
            Optional<Map<String, Content>> files = files(volume);
            if (files.isPresent()) {
                projected
                        .computeIfAbsent(volume.getName(), name -> new ProjectedFolder(place(name)))
                        .set(files.get());
            } else if (volume.getHostPath() == null) {
                Files.createDirectories(place(volume.getName()));
            }
        }
    }

    private Path place(String volume) {
        return folder.resolve(volume);
    }

    /** Where each of the container's mounts really is. */
    Map<String, Path> mounts(Container container) {
        Map<String, Path> all = new LinkedHashMap<>();
        for (VolumeMount mount : container.getVolumeMounts()) {
            Path root = pod.getSpec().getVolumes().stream()
                    .filter(v -> v.getName().equals(mount.getName()) && v.getHostPath() != null)
                    .map(v -> Path.of(v.getHostPath().getPath()))
                    .findFirst()
                    .orElse(place(mount.getName()));
            String below = mount.getSubPath();
            all.put(mount.getMountPath(), below == null || below.isEmpty() ? root : root.resolve(below));
        }
        return all;
    }

    /** The content of a volume that we fill; empty for an empty folder. */
    private Optional<Map<String, Content>> files(Volume volume) throws Missing {
        Map<String, Content> files = new LinkedHashMap<>();
        if (volume.getConfigMap() != null) {
            ConfigMapVolumeSource source = volume.getConfigMap();
            configMap(source.getName(), source.getItems(), source.getOptional(), mode(source.getDefaultMode()), files);
        } else if (volume.getSecret() != null) {
            SecretVolumeSource source = volume.getSecret();
            secret(
                    source.getSecretName(),
                    source.getItems(),
                    source.getOptional(),
                    mode(source.getDefaultMode()),
                    files);
        } else if (volume.getDownwardAPI() != null) {
            downward(
                    volume.getDownwardAPI().getItems(),
                    mode(volume.getDownwardAPI().getDefaultMode()),
                    files);
        } else if (volume.getProjected() != null) {
            projected(volume.getProjected(), files);
        } else if (volume.getEmptyDir() == null && volume.getHostPath() == null) {
            throw new Missing("volume " + volume.getName()
                    + " is of a kind that pods run as processes cannot have; emptyDir, hostPath, configMap, secret, projected and"
                    + " downwardAPI are known");
        } else {
            return Optional.empty();
        }
        return Optional.of(files);
    }

    private void projected(ProjectedVolumeSource source, Map<String, Content> files) throws Missing {
        int mode = mode(source.getDefaultMode());
        for (VolumeProjection part : source.getSources()) {
            if (part.getConfigMap() != null) {
                ConfigMapProjection map = part.getConfigMap();
                configMap(map.getName(), map.getItems(), map.getOptional(), mode, files);
            }
            if (part.getSecret() != null) {
                SecretProjection map = part.getSecret();
                secret(map.getName(), map.getItems(), map.getOptional(), mode, files);
            }
            if (part.getDownwardAPI() != null) {
                downward(part.getDownwardAPI().getItems(), mode, files);
            }
            if (part.getServiceAccountToken() != null) {
                String token = tokens.token(part.getServiceAccountToken().getAudience());
                files.put(part.getServiceAccountToken().getPath(), text(token, mode));
            }
        }
    }

    private void configMap(
            String name, List<KeyToPath> items, @Nullable Boolean optional, int mode, Map<String, Content> files)
            throws Missing {
        Map<String, byte[]> data = found("configmap", name, optional, objects.configMap(namespace(), name));
        for (Map.Entry<String, Content> file :
                select("configmap " + name, data, items, optional, mode).entrySet()) {
            Optional<String> text = Utf8.decode(file.getValue().toBytes());
            files.put(
                    file.getKey(),
                    text.map(t -> text(configMapText.apply(t), file.getValue().mode()))
                            .orElse(file.getValue()));
        }
    }

    private void secret(
            String name, List<KeyToPath> items, @Nullable Boolean optional, int mode, Map<String, Content> files)
            throws Missing {
        Map<String, byte[]> data = found("secret", name, optional, objects.secret(namespace(), name));
        files.putAll(select("secret " + name, data, items, optional, mode));
    }

    private static Map<String, byte[]> found(
            String kind, String name, @Nullable Boolean optional, Optional<Map<String, byte[]>> object) throws Missing {
        if (object.isEmpty() && !Boolean.TRUE.equals(optional)) {
            throw new Missing(kind + " \"" + name + "\" not found");
        }
        return object.orElse(Map.of());
    }

    private static Map<String, Content> select(
            String what, Map<String, byte[]> data, List<KeyToPath> items, @Nullable Boolean optional, int mode)
            throws Missing {
        Map<String, Content> files = new LinkedHashMap<>();
        if (items.isEmpty()) {
            data.forEach((key, bytes) -> files.put(key, Content.of(bytes, mode)));
        }
        for (KeyToPath item : items) {
            byte[] bytes = data.get(item.getKey());
            if (bytes != null) {
                files.put(item.getPath(), Content.of(bytes, item.getMode() == null ? mode : item.getMode()));
            } else if (!Boolean.TRUE.equals(optional)) {
                throw new Missing(what + " references non-existent key: " + item.getKey());
            }
        }
        return files;
    }

    private void downward(List<DownwardAPIVolumeFile> items, int mode, Map<String, Content> files) throws Missing {
        for (DownwardAPIVolumeFile item : items) {
            if (item.getFieldRef() != null) {
                String path = item.getFieldRef().getFieldPath();
                String value = fields.field(path).orElseThrow(() -> new Missing("unsupported field path " + path));
                files.put(item.getPath(), text(value, item.getMode() == null ? mode : item.getMode()));
            } else if (item.getResourceFieldRef() != null) {
                String container = item.getResourceFieldRef().getContainerName();
                String value = pod.getSpec().getContainers().stream()
                        .filter(c -> c.getName().equals(container))
                        .map(c -> FieldReferences.resource(c, item.getResourceFieldRef()))
                        .findFirst()
                        .orElseThrow(() -> new Missing("no container is called " + container));
                files.put(item.getPath(), text(value, mode));
            }
        }
    }

    private String namespace() {
        ObjectMeta meta = pod.getMetadata();
        return meta.getNamespace();
    }

    private static int mode(@Nullable Integer mode) {
        return mode == null ? DEFAULT_MODE : mode;
    }

    private static Content text(String text, int mode) {
        return Content.of(text.getBytes(StandardCharsets.UTF_8), mode);
    }
}
