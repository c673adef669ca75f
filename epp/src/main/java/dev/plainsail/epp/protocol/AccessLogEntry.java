package dev.plainsail.epp.protocol;

import dev.plainsail.epp.routing.Outcome;

/** The end of one of our requests, as the proxy's access log tells it. */
record AccessLogEntry(long ticket, Outcome outcome) {}
