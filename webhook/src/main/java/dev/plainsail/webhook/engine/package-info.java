/**
 * vLLM and SGLang: how each is started, spells a flag, finds its port, wants its KV configuration.
 * One class an engine. Uses {@code workload} only. Immutable, any thread.
 */
@NullMarked
package dev.plainsail.webhook.engine;

import org.jspecify.annotations.NullMarked;
