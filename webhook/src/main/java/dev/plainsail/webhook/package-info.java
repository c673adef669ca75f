/**
 * The admission program: wiring and settings.
 */
@NullMarked
package dev.plainsail.webhook;

import org.jspecify.annotations.NullMarked;
