package dev.plainsail.certs.authority;

import java.util.Map;
import java.util.Optional;

/**
 * Where the state lives between starts, shared by all replicas. Called from one thread; each call may take as long as the
 * network does and throws an unchecked exception when the store cannot be reached.
 */
public interface AuthorityStore {
    /**
     * What was stored, and the store's word for this very version of it.
     */
    record Stored(Map<String, String> data, String version) {
        public Stored {
            data = Map.copyOf(data);
        }
    }

    Optional<Stored> read();

    /** False, with nothing changed, when something is stored already: of replicas that start together one wins. */
    boolean create(Map<String, String> data);

    /** False, with nothing changed, when what is stored is no longer the version that was seen. */
    boolean replace(Stored seen, Map<String, String> data);
}
