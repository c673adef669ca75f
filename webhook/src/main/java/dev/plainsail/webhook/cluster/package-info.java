/**
 * The API server: what we watch there and the few things we write. The only package that knows a Kubernetes client.
 * May use plan, workload, dra, certs. Views are updated by the client's threads and read by any; writes are called by one worker.
 */
@NullMarked
package dev.plainsail.webhook.cluster;

import org.jspecify.annotations.NullMarked;
