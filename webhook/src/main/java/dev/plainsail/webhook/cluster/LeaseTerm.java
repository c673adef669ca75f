package dev.plainsail.webhook.cluster;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one replica concludes from what it saw of the lease, by its own clock that never jumps: the times that are written
 * in the lease are for people, because clocks of different machines disagree. Another holder's lease is over when nobody
 * has changed it for its whole length since we saw it first. Our own is over {@link #MARGIN} before that, counted from before
 * the request that renewed it was sent: a replica that hangs, is suspended, or waits for an answer stops leading in time.
 * One thread tells it what was seen; any may ask {@link #isHeld}.
 */
final class LeaseTerm {
    static final Duration LENGTH = Duration.ofSeconds(11);
    static final Duration MARGIN = Duration.ofSeconds(3);

    private final String identity;
    private @Nullable String seenVersion;
    private long seenAtNanos;
    private volatile @Nullable Long heldUntilNanos;

    LeaseTerm(String identity) {
        this.identity = identity;
    }

    /** Whether the lease may be taken or renewed; if not, it is not ours. */
    boolean mayWrite(Optional<String> holder, Duration length, String version, long nowNanos) {
        if (!version.equals(seenVersion)) {
            seenVersion = version;
            seenAtNanos = nowNanos;
        }
        if (holder.filter(identity::equals).isPresent()) {
            return true;
        }
        heldUntilNanos = null;
        return holder.filter(name -> !name.isEmpty()).isEmpty() || nowNanos - seenAtNanos >= length.toNanos();
    }

    /** @param sentAtNanos from before the request that made the lease ours */
    void held(long sentAtNanos) {
        heldUntilNanos = sentAtNanos + LENGTH.minus(MARGIN).toNanos();
    }

    void givenUp() {
        heldUntilNanos = null;
    }

    boolean isHeld(long nowNanos) {
        Long until = heldUntilNanos;
        return until != null && nowNanos - until < 0;
    }
}
