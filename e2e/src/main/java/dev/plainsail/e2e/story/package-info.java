/**
 * What the demo tells and the end-to-end tests assert: Plainsail installed on a cluster by its manifests, a Deployment and the
 * processes of its pods, requests through the gateway. May use cluster, node, envoy and cache; one thread at a time.
 */
@NullMarked
package dev.plainsail.e2e.story;

import org.jspecify.annotations.NullMarked;
