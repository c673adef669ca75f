/**
 * The command {@code plainsail}: the same planning as admission, on files, and on what runs in a cluster. Uses every other package. One thread.
 */
@NullMarked
package dev.plainsail.webhook.command;

import org.jspecify.annotations.NullMarked;
