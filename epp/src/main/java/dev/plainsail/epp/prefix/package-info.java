/**
 * Block hashes of prompts, and who is believed to hold which blocks.
 * Depends on nothing of ours. Reads take no lock and may be stale, never torn.
 */
@NullMarked
package dev.plainsail.epp.prefix;

import org.jspecify.annotations.NullMarked;
