package dev.plainsail.epp.pool;

import dev.plainsail.epp.routing.Reason;

/** Breaks the picker's architecture on purpose, so that its test can be seen to notice. */
public record BackwardArrow(Reason reason) {}
