package dev.plainsail.webhook.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Keeps of each watched object only what the function leaves: ten thousand whole pods would fill the heap. */
final class Trimmed<T extends HasMetadata> implements ItemStore<T> {
    private final ConcurrentMap<String, T> kept = new ConcurrentHashMap<>();
    private final UnaryOperator<T> trim;

    Trimmed(UnaryOperator<T> trim) {
        this.trim = trim;
    }

    /** The empty object with the other's name and version. */
    static <T extends HasMetadata> T named(T empty, T object) {
        ObjectMeta all = object.getMetadata();
        empty.setMetadata(new ObjectMetaBuilder()
                .withNamespace(all.getNamespace())
                .withName(all.getName())
                .withUid(all.getUid())
                .withResourceVersion(all.getResourceVersion())
                .build());
        return empty;
    }

    @Override
    public String getKey(T object) {
        return Cache.metaNamespaceKeyFunc(object);
    }

    @Override
    public @Nullable T put(String key, T object) {
        return kept.put(key, trim.apply(object));
    }

    @Override
    public @Nullable T remove(String key) {
        return kept.remove(key);
    }

    @Override
    public Stream<String> keySet() {
        return kept.keySet().stream();
    }

    @Override
    public Stream<T> values() {
        return kept.values().stream();
    }

    @Override
    public int size() {
        return kept.size();
    }

    @Override
    public @Nullable T get(String key) {
        return kept.get(key);
    }

    /** Handlers see old objects trimmed. */
    @Override
    public boolean isFullState() {
        return false;
    }
}
