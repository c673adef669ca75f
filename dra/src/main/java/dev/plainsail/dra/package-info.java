/**
 * What devices a workload wants, as values: their annotation text, their ResourceClaimTemplate.
 * Pure: no cluster, no clock, no logging. All types are immutable and may be shared between threads.
 */
@NullMarked
package dev.plainsail.dra;

import org.jspecify.annotations.NullMarked;
