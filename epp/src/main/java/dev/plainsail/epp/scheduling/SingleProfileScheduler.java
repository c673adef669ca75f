package dev.plainsail.epp.scheduling;

import java.util.List;

/** One profile for every request. */
public record SingleProfileScheduler(Profile profile, List<ChoiceListener> listeners) implements Scheduler {
    public SingleProfileScheduler {
        listeners = List.copyOf(listeners);
    }

    @Override
    public Profile profile(InferenceRequest request) {
        return profile;
    }

    @Override
    public void chosen(InferenceRequest request, Candidates candidates, int position) {
        for (ChoiceListener listener : listeners) {
            listener.chosen(request, candidates, position);
        }
    }
}
