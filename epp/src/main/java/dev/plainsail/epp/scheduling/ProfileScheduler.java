package dev.plainsail.epp.scheduling;

import dev.plainsail.epp.pool.Endpoint;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One profile, or the one that a header names.
 *
 * @param header in lower case; null: always {@code whenAbsent}
 * @param whenAbsent the profile of requests without the header, or with a name that there is none of
 */
public record ProfileScheduler(
        Map<String, Profile> profiles,
        @Nullable String header,
        String whenAbsent,
        List<ChoiceListener> listeners,
        Admitter admitter,
        OutputTokens output,
        List<EndpointToken> tokens)
        implements Scheduler {
    public ProfileScheduler {
        profiles = Map.copyOf(profiles);
        listeners = List.copyOf(listeners);
        tokens = List.copyOf(tokens);
        if (!profiles.containsKey(whenAbsent)) {
            throw new IllegalArgumentException("no profile " + whenAbsent);
        }
    }

    @Override
    public Profile profile(InferenceRequest request) {
        String named = header == null ? null : request.headers().get(header);
        Profile profile = profiles.get(named == null ? whenAbsent : named);
        if (profile == null) {
            profile = profiles.get(whenAbsent);
        }
        return Objects.requireNonNull(profile);
    }

    @Override
    public int expectedOutput(InferenceRequest request) {
        return output.of(request);
    }

    @Override
    public boolean sheds(Candidates candidates, double chance) {
        return admitter.sheds(candidates, chance);
    }

    @Override
    public boolean tells() {
        return !tokens.isEmpty();
    }

    @Override
    public Map<String, String> told(Endpoint endpoint) {
        Map<String, String> headers = new TreeMap<>();
        for (EndpointToken token : tokens) {
            headers.put(token.header(), EndpointToken.of(endpoint));
        }
        return headers;
    }

    @Override
    public void chosen(InferenceRequest request, Candidates candidates, int position) {
        for (ChoiceListener listener : listeners) {
            listener.chosen(request, candidates, position);
        }
    }
}
