/**
 * {@code e2e/demo}: tells the product's story on a local cluster and shows the evidence of each step. Prints for people; may use
 * story, cluster, envoy, vllm and cache. One thread.
 */
@NullMarked
package dev.plainsail.e2e.demo;

import org.jspecify.annotations.NullMarked;
