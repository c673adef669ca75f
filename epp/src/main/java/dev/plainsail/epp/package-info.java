/**
 * The endpoint picker: wiring and settings.
 */
@NullMarked
package dev.plainsail.epp;

import org.jspecify.annotations.NullMarked;
