package dev.plainsail.e2e.node;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvFromSource;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarSource;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** A container's variables, computed as the kubelet does: envFrom first, then env in order, each seeing those before it. */
final class ContainerEnvironment {

    private final String namespace;
    private final FieldReferences fields;
    private final ConfigObjects objects;

    ContainerEnvironment(String namespace, FieldReferences fields, ConfigObjects objects) {
        this.namespace = namespace;
        this.fields = fields;
        this.objects = objects;
    }

    /** A reference that leads nowhere; the kubelet shows it as CreateContainerConfigError. */
    static final class Unresolved extends Exception {
        Unresolved(String message) {
            super(message);
        }
    }

    /** @param services the variables of Services, which env may refer to but which never win over it */
    Map<String, String> of(Container container, Map<String, String> services) throws Unresolved {
        Map<String, String> own = new LinkedHashMap<>();
        for (EnvFromSource source : container.getEnvFrom()) {
            own.putAll(all(source));
        }
        Map<String, String> known = new LinkedHashMap<>(services);
        known.putAll(own);
        for (EnvVar variable : container.getEnv()) {
            Optional<String> value = variable.getValueFrom() == null
                    ? Optional.of(Expansion.expand(variable.getValue() == null ? "" : variable.getValue(), known))
                    : from(container, variable.getValueFrom());
            if (value.isPresent()) {
                own.put(variable.getName(), value.get());
                known.put(variable.getName(), value.get());
            }
        }
        Map<String, String> result = new LinkedHashMap<>(services);
        result.putAll(own);
        return result;
    }

    private Map<String, String> all(EnvFromSource source) throws Unresolved {
        String prefix = source.getPrefix() == null ? "" : source.getPrefix();
        Map<String, byte[]> data = Map.of();
        if (source.getConfigMapRef() != null) {
            String name = source.getConfigMapRef().getName();
            data = found("configmap", name, source.getConfigMapRef().getOptional(), objects.configMap(namespace, name));
        } else if (source.getSecretRef() != null) {
            String name = source.getSecretRef().getName();
            data = found("secret", name, source.getSecretRef().getOptional(), objects.secret(namespace, name));
        }
        Map<String, String> variables = new LinkedHashMap<>();
        data.forEach((key, value) -> variables.put(prefix + key, new String(value, StandardCharsets.UTF_8)));
        return variables;
    }

    private Optional<String> from(Container container, EnvVarSource source) throws Unresolved {
        if (source.getFieldRef() != null) {
            String path = source.getFieldRef().getFieldPath();
            return Optional.of(fields.field(path).orElseThrow(() -> new Unresolved("unsupported field path " + path)));
        }
        if (source.getResourceFieldRef() != null) {
            return Optional.of(FieldReferences.resource(container, source.getResourceFieldRef()));
        }
        if (source.getConfigMapKeyRef() != null) {
            var ref = source.getConfigMapKeyRef();
            return key(
                    "configmap",
                    ref.getName(),
                    ref.getKey(),
                    ref.getOptional(),
                    objects.configMap(namespace, ref.getName()));
        }
        if (source.getSecretKeyRef() != null) {
            var ref = source.getSecretKeyRef();
            return key(
                    "secret", ref.getName(), ref.getKey(), ref.getOptional(), objects.secret(namespace, ref.getName()));
        }
        throw new Unresolved("a variable's valueFrom has no source that is known here");
    }

    private static Optional<String> key(
            String kind, String name, String key, Boolean optional, Optional<Map<String, byte[]>> object)
            throws Unresolved {
        Map<String, byte[]> data = found(kind, name, optional, object);
        byte[] value = data.get(key);
        if (value == null && !Boolean.TRUE.equals(optional)) {
            throw new Unresolved("couldn't find key " + key + " in " + kind + " " + name);
        }
        return Optional.ofNullable(value).map(bytes -> new String(bytes, StandardCharsets.UTF_8));
    }

    private static Map<String, byte[]> found(
            String kind, String name, Boolean optional, Optional<Map<String, byte[]>> object) throws Unresolved {
        if (object.isEmpty() && !Boolean.TRUE.equals(optional)) {
            throw new Unresolved(kind + " \"" + name + "\" not found");
        }
        return object.orElse(Map.of());
    }
}
