package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.plan.Subject;

/** Turns one annotation into what is said to the engine. Called only when the pod has an engine. */
interface ArgumentSource {

    void offer(Subject subject, Offers offers);
}
