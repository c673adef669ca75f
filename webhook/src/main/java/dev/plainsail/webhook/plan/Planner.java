package dev.plainsail.webhook.plan;

import java.util.List;

/** Plans one thing that is injected. A pure function; it notes problems and warnings and answers what should change. */
public interface Planner {

    List<Change> plan(Subject subject, Problems problems);
}
