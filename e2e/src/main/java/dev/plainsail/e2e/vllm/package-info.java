/**
 * The real vLLM on CPUs: whether it is installed, installing it by the script {@code e2e/vllm}, and one server as a process. Depends on
 * {@code e2e}, {@code e2e.cache} and {@code e2e.process}. Every type may be used from any thread.
 */
@NullMarked
package dev.plainsail.e2e.vllm;

import org.jspecify.annotations.NullMarked;
