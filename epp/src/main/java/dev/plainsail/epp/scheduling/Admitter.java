package dev.plainsail.epp.scheduling;

/** Says which requests of a negative priority are turned away before anything is scheduled. Called on event loops. */
public interface Admitter {

    /** @param chance from 0 to 1, another one for each request */
    boolean sheds(Candidates candidates, double chance);
}
