package dev.plainsail.epp.scheduling;

/** A plugin that learns from what was chosen. Called once a request, on its event loop: no waiting. */
public interface ChoiceListener {
    void chosen(InferenceRequest request, Candidates candidates, int position);
}
