package dev.plainsail.webhook.cluster;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One kind of object, followed for as long as we run: a list, a watch, and again from the start when the watch is lost. A
 * list that is refused is logged with the API server's words, which name the missing permission, and is tried again, so a
 * role that is repaired later needs no restart.
 */
final class Watch<T> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Watch.class);
    private static final long NO_RESYNC = 0;
    /** Objects per page of the first list: bounds what is in memory at once. */
    private static final long PAGE = 500;

    private final SharedIndexInformer<T> informer;

    /** @param store what to keep of each object between events */
    Watch(String what, Informable<T> objects, ItemStore<T> store, ResourceEventHandler<T> handler) {
        informer = objects.withLimit(PAGE).runnableInformer(NO_RESYNC);
        informer.itemStore(store);
        informer.addEventHandler(handler);
        informer.exceptionHandler((started, failure) -> {
            LOG.atWarn()
                    .setMessage("cannot follow, trying again")
                    .addKeyValue("objects", what)
                    .addKeyValue(
                            "reason",
                            failure instanceof KubernetesClientException e ? Cluster.said(e) : failure.toString())
                    .log();
            return true;
        });
    }

    Watch<T> start() {
        var ignored = informer.start();
        return this;
    }

    /** Everything that existed at the start has been seen. */
    boolean isSynced() {
        return informer.hasSynced();
    }

    @Override
    public void close() {
        informer.close();
    }
}
