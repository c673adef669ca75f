package dev.plainsail.epp.routing.simulation;

import dev.plainsail.epp.datalayer.EngineReport;

/** Who chooses the replica. Times are in virtual seconds. */
interface Policy {
    /** @return the index of a replica */
    int choose(int number, Shape shape, double time);

    void firstToken(int number, int replica, double time);

    void ended(int number, int replica, double time);

    void report(int replica, EngineReport report, double time);

    /** Seconds between two reports of a replica. */
    double reportInterval();
}
