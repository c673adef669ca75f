/**
 * The claim-template controller: from labelled pods alone to the templates that they name.
 * May use cluster, dra. The decision is a pure function; one worker thread carries it out.
 */
@NullMarked
package dev.plainsail.webhook.templates;

import org.jspecify.annotations.NullMarked;
