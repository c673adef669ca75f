/**
 * The user's cache folder: things that are fetched or built once, kept under their version and shared by all clones.
 * Depends on {@code e2e} and {@code e2e.process} only. Every type here may be used from any thread; making an entry blocks the
 * caller, and others who want the same entry, until it is there.
 */
@NullMarked
package dev.plainsail.e2e.cache;

import org.jspecify.annotations.NullMarked;
