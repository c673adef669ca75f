/**
 * From changes to RFC 6902 operations against the raw tree: the least that is needed, parents first, nothing else touched.
 * Uses {@code plan} and {@code workload}. Any thread.
 */
@NullMarked
package dev.plainsail.webhook.patch;

import org.jspecify.annotations.NullMarked;
