package dev.plainsail.certs.authority;

import dev.plainsail.certs.CertifiedKey;
import dev.plainsail.certs.UnusableKeyPairException;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One round brings store, trust and what is served into line: read, advance, store, publish, then serve.
 * Safe in every replica at once, since the store takes only one writer's change; a replica that loses takes over what the
 * winner stored. If the stored state is deleted or spoilt while we run, the state in memory goes back, so that nothing
 * changes for clients; at a start with a spoilt state a new authority is made, because nothing can be served from it.
 * Used by one thread.
 */
public final class AuthorityKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(AuthorityKeeper.class);
    private static final int ATTEMPTS = 5;

    private final Authority authority;
    private final AuthorityStore store;
    private final BundleTarget target;
    private final Consumer<CertifiedKey> serve;
    private @Nullable AuthorityState last;

    public AuthorityKeeper(
            Authority authority, AuthorityStore store, BundleTarget target, Consumer<CertifiedKey> serve) {
        this.authority = authority;
        this.store = store;
        this.target = target;
        this.serve = serve;
    }

    /** The leader's round. Throws what the store or the target throws; then the next round tries again. */
    public void lead(Instant now) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Optional<AuthorityStore.Stored> stored = store.read();
            Optional<AuthorityState> before = stored.flatMap(AuthorityKeeper::parse);
            AuthorityState next = authority.advance(before.or(() -> Optional.ofNullable(last)), now);
            boolean unchanged = before.isPresent() && next.equals(before.get());
            if (unchanged || write(stored, next)) {
                target.publish(next.bundle());
                use(next);
                return;
            }
        }
        throw new IllegalStateException("the stored authority was changed by others " + ATTEMPTS + " times in a row");
    }

    private boolean write(Optional<AuthorityStore.Stored> seen, AuthorityState next) {
        return seen.map(stored -> store.replace(stored, next.toPem())).orElseGet(() -> store.create(next.toPem()));
    }

    /** A replica's round that does not lead: serves what is stored; false while nothing usable is. */
    public boolean follow() {
        Optional<AuthorityState> stored = store.read().flatMap(AuthorityKeeper::parse);
        stored.ifPresent(this::use);
        return stored.isPresent();
    }

    private void use(AuthorityState state) {
        if (last == null || !state.leaf().equals(last.leaf())) {
            LOG.atInfo()
                    .setMessage("serving a certificate of our own authority")
                    .addKeyValue("serial", state.leaf().serialNumber().toString(16))
                    .addKeyValue("expires", state.leaf().expires())
                    .addKeyValue("authorities", state.authorities().size())
                    .log();
        }
        last = state;
        serve.accept(state.leaf());
    }

    private static Optional<AuthorityState> parse(AuthorityStore.Stored stored) {
        try {
            return Optional.of(AuthorityState.fromPem(stored.data()));
        } catch (UnusableKeyPairException e) {
            LOG.atWarn()
                    .setMessage("the stored authority cannot be used and will be replaced")
                    .addKeyValue("reason", e.getMessage())
                    .log();
            return Optional.empty();
        }
    }
}
