package dev.plainsail.epp.pool;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints of one pool: several sources write, each its own share; everybody reads the immutable set.
 *
 * <p>An endpoint keeps its slot, and with it its load and its prefixes, as long as identity and address stay; labels may
 * change under it.
 */
public final class EndpointPool {
    private final String name;
    private final Slots slots;
    private final Map<String, List<Member>> shares = new LinkedHashMap<>();
    private final Map<String, Endpoint> byIdentity = new HashMap<>();
    private volatile EndpointSet current = new EndpointSet(0, List.of());

    EndpointPool(String name, Slots slots) {
        this.name = name;
        this.slots = slots;
    }

    public String name() {
        return name;
    }

    /** One volatile read. */
    public EndpointSet current() {
        return current;
    }

    /** Replaces what one source contributes. Nothing is published when nothing changed. */
    public synchronized void replace(String source, Collection<Member> eligible) {
        shares.put(source, List.copyOf(eligible));
        Map<String, Member> wanted = new LinkedHashMap<>();
        Set<Object> addresses = new HashSet<>();
        for (List<Member> share : shares.values()) {
            for (Member member : share) {
                if (addresses.add(member.address())) {
                    wanted.putIfAbsent(member.identity(), member);
                }
            }
        }
        if (apply(wanted)) {
            List<Endpoint> endpoints = new ArrayList<>(byIdentity.values());
            endpoints.sort(Comparator.comparingInt(Endpoint::slot));
            current = new EndpointSet(current.version() + 1, endpoints);
        }
    }

    private boolean apply(Map<String, Member> wanted) {
        List<String> gone = byIdentity.entrySet().stream()
                .filter(held -> !sameAddress(wanted.get(held.getKey()), held.getValue()))
                .map(Map.Entry::getKey)
                .toList();
        for (String identity : gone) {
            Endpoint endpoint = byIdentity.remove(identity);
            if (endpoint != null) {
                slots.free(endpoint.slot());
            }
        }
        boolean changed = !gone.isEmpty();
        for (Member member : wanted.values()) {
            Endpoint held = byIdentity.get(member.identity());
            if (held != null && held.labels().equals(member.labels())) {
                continue;
            }
            int slot = held == null ? slots.take() : held.slot();
            byIdentity.put(
                    member.identity(), new Endpoint(slot, member.name(), name, member.address(), member.labels()));
            changed = true;
        }
        return changed;
    }

    private static boolean sameAddress(@Nullable Member member, Endpoint endpoint) {
        return member != null && member.address().equals(endpoint.address());
    }
}
