package dev.plainsail.epp.scheduling;

/** Says how full a pool is. Called on event loops. */
public interface Detector {
    /** 0 idle, 1 and above full. No candidates are full. */
    double saturation(Candidates candidates);
}
