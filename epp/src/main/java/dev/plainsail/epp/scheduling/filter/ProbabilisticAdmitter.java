package dev.plainsail.epp.scheduling.filter;

import dev.plainsail.epp.scheduling.Admitter;
import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.Detector;

/**
 * Turns more of them away the fuller the pool is, instead of all of them once it is full: with the probability
 * min(saturation<sup>power</sup> × k, 1), as llm-d's plugin of that name.
 */
public final class ProbabilisticAdmitter implements Admitter {
    private final Detector detector;
    private final double power;
    private final double k;

    public ProbabilisticAdmitter(Detector detector, double power, double k) {
        this.detector = detector;
        this.power = power;
        this.k = k;
    }

    @Override
    public boolean sheds(Candidates candidates, double chance) {
        return chance < Math.pow(detector.saturation(candidates), power) * k;
    }
}
