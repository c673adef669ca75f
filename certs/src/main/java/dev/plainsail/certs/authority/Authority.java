package dev.plainsail.certs.authority;

import dev.plainsail.certs.CertifiedKey;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * From what is stored and the time of day to what shall be stored. No clock, no input, no output: the caller does those.
 *
 * <p>The order of a change is what keeps clients from ever seeing an authority that they do not trust:
 * <ol>
 * <li>At two thirds of its life a newer authority joins the bundle. Nothing is signed by it yet.
 * <li>One overlap later the leaf is signed anew, by it.
 * <li>One overlap after that the old authority leaves the bundle.
 * </ol>
 * A leaf is renewed at two thirds of its own life, by the newest authority that has been in the bundle for an overlap.
 * Where waiting cannot help, because what is stored is not valid at this time (expired while all replicas were down, made
 * under a clock that was ahead), new ones are made at once. Old authorities stay in the bundle for the overlap even when
 * they are expired: if it was the clock that jumped, they are good again when it jumps back.
 */
public final class Authority {
    /** Two in the normal course of things; a clock that jumps about must not fill the store. */
    private static final int MOST = 4;

    private final AuthorityPolicy policy;
    private final Issuer issuer;

    public Authority(AuthorityPolicy policy, Issuer issuer) {
        this.policy = policy;
        this.issuer = issuer;
    }

    /** The same instance when nothing is due. */
    public AuthorityState advance(Optional<AuthorityState> stored, Instant now) {
        if (stored.isEmpty()) {
            CertifiedKey first = newAuthority(now);
            return new AuthorityState(List.of(first), newLeaf(first, now));
        }
        AuthorityState state = withNewestUsable(stored.get(), now);
        state = withLeafCurrent(state, now);
        return withoutOldAuthorities(state, now);
    }

    private AuthorityState withNewestUsable(AuthorityState state, Instant now) {
        X509Certificate newest = state.newest().leaf();
        if (isValid(newest, now) && !isDue(newest, now)) {
            return state;
        }
        List<CertifiedKey> authorities = new ArrayList<>();
        authorities.add(newAuthority(now));
        authorities.addAll(state.authorities());
        return new AuthorityState(authorities, state.leaf());
    }

    private AuthorityState withLeafCurrent(AuthorityState state, Instant now) {
        CertifiedKey settled = newestSettled(state, now);
        X509Certificate leaf = state.leaf().leaf();
        boolean good = isValid(leaf, now)
                && !isDue(leaf, now)
                && covers(leaf, policy.names())
                && state.isLeafSignedBy(settled.leaf());
        return good ? state : new AuthorityState(state.authorities(), newLeaf(settled, now));
    }

    /** The newest authority that clients have had time to hear of; the newest of all when no other is valid. */
    private CertifiedKey newestSettled(AuthorityState state, Instant now) {
        return state.authorities().stream()
                .filter(authority -> isValid(authority.leaf(), now))
                .filter(authority ->
                        !madeAt(authority.leaf()).plus(policy.overlap()).isAfter(now))
                .findFirst()
                // Only one valid authority: the first install, or everything else is expired.
                .orElseGet(() -> state.authorities().stream()
                        .filter(authority -> isValid(authority.leaf(), now) && state.isLeafSignedBy(authority.leaf()))
                        .findFirst()
                        .orElse(state.newest()));
    }

    private AuthorityState withoutOldAuthorities(AuthorityState state, Instant now) {
        boolean leafIsSettled =
                !madeAt(state.leaf().leaf()).plus(policy.overlap()).isAfter(now);
        List<CertifiedKey> kept = new ArrayList<>();
        for (CertifiedKey authority : state.authorities()) {
            boolean needed = authority.equals(state.newest()) || state.isLeafSignedBy(authority.leaf());
            boolean useful = !leafIsSettled || (isBetween(state, authority) && isValid(authority.leaf(), now));
            if (needed || (useful && kept.size() < MOST - 1)) {
                kept.add(authority);
            }
        }
        return kept.size() == state.authorities().size() ? state : new AuthorityState(kept, state.leaf());
    }

    /** Newer than the leaf's own: on its way in, not out. */
    private static boolean isBetween(AuthorityState state, CertifiedKey authority) {
        return state.authorities().stream()
                .dropWhile(other -> !other.equals(authority))
                .skip(1)
                .anyMatch(older -> state.isLeafSignedBy(older.leaf()));
    }

    private CertifiedKey newAuthority(Instant now) {
        return issuer.authority(policy.names().getFirst() + " CA", now, policy.authorityLife());
    }

    private CertifiedKey newLeaf(CertifiedKey authority, Instant now) {
        return issuer.leaf(authority, policy.names(), now, policy.leafLife());
    }

    private static boolean isValid(X509Certificate certificate, Instant now) {
        return !isExpired(certificate, now)
                && !now.isBefore(certificate.getNotBefore().toInstant());
    }

    private static boolean isExpired(X509Certificate certificate, Instant now) {
        return now.isAfter(certificate.getNotAfter().toInstant());
    }

    private static Instant madeAt(X509Certificate certificate) {
        return certificate.getNotBefore().toInstant().plus(Issuer.BACKDATED);
    }

    /** Two thirds of its life are over. */
    private static boolean isDue(X509Certificate certificate, Instant now) {
        Instant made = madeAt(certificate);
        Duration life = Duration.between(made, certificate.getNotAfter().toInstant());
        return !now.isBefore(made.plus(life.multipliedBy(2).dividedBy(3)));
    }

    private static boolean covers(X509Certificate leaf, List<String> names) {
        try {
            Collection<List<?>> alternatives = leaf.getSubjectAlternativeNames();
            if (alternatives == null) {
                return false;
            }
            Set<String> covered = new TreeSet<>();
            alternatives.forEach(alternative -> covered.add(String.valueOf(alternative.get(1))));
            return covered.containsAll(names);
        } catch (CertificateParsingException e) {
            return false;
        }
    }
}
