/** How lines of the log look and where they go. */
@NullMarked
package dev.plainsail.webhook.log;

import org.jspecify.annotations.NullMarked;
