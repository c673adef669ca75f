/**
 * What an object that comes to admission is: its kind, its pod templates, their containers and command lines.
 * Reads the raw tree and nothing else; a field of the wrong shape counts as absent, so nothing here throws for odd input.
 * Uses no other package of the webhook. Immutable, any thread.
 */
@NullMarked
package dev.plainsail.webhook.workload;

import org.jspecify.annotations.NullMarked;
