package dev.plainsail.certs.authority;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plainsail.certs.CertifiedKey;
import dev.plainsail.certs.UnusableKeyPairException;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class AuthorityTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final AuthorityPolicy POLICY = AuthorityPolicy.of(List.of("hook.ns.svc", "127.0.0.1"));
    private final Authority authority = new Authority(POLICY, new Issuer(new SecureRandom()));

    @Test
    void emptyStoreGivesAnAuthorityAndALeafThatItSigned() throws Exception {
        AuthorityState state = authority.advance(Optional.empty(), START);
        assertThat(state.authorities()).hasSize(1);
        assertThat(state.isLeafSignedBy(state.newest().leaf())).isTrue();
        assertThat(state.newest().leaf().getBasicConstraints()).isZero();
        X509Certificate leaf = state.leaf().leaf();
        assertThat(leaf.getSubjectAlternativeNames())
                .containsExactlyInAnyOrder(List.of(2, "hook.ns.svc"), List.of(7, "127.0.0.1"));
        assertThat(leaf.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1");
    }

    @Test
    void nothingDueGivesTheSameInstance() {
        AuthorityState state = authority.advance(Optional.empty(), START);
        assertThat(authority.advance(Optional.of(state), START.plus(Duration.ofDays(19))))
                .isSameAs(state);
    }

    @Test
    void leafIsRenewedAtTwoThirdsOfItsLifeByTheSameAuthority() {
        AuthorityState first = authority.advance(Optional.empty(), START);
        AuthorityState second = authority.advance(Optional.of(first), START.plus(Duration.ofDays(20)));
        assertThat(second.leaf()).isNotEqualTo(first.leaf());
        assertThat(second.authorities()).isEqualTo(first.authorities());
        assertThat(second.isLeafSignedBy(first.newest().leaf())).isTrue();
    }

    @Test
    void newAuthorityIsTrustedAnOverlapBeforeItSignsAndTheOldOneAnOverlapAfter() {
        AuthorityState state = authority.advance(Optional.empty(), START);
        CertifiedKey old = state.newest();
        Instant due = START.plus(Duration.ofDays(365).multipliedBy(2).dividedBy(3));
        state = run(state, START, due.minusSeconds(1), Duration.ofDays(5));
        assertThat(state.authorities()).containsExactly(old);

        state = authority.advance(Optional.of(state), due);
        assertThat(state.authorities()).hasSize(2).last().isEqualTo(old);
        assertThat(state.isLeafSignedBy(old.leaf())).isTrue();

        state = authority.advance(Optional.of(state), due.plus(Duration.ofMinutes(59)));
        assertThat(state.isLeafSignedBy(old.leaf())).isTrue();

        Instant changed = due.plus(Duration.ofMinutes(61));
        state = authority.advance(Optional.of(state), changed);
        assertThat(state.isLeafSignedBy(state.newest().leaf())).isTrue();
        assertThat(state.authorities()).hasSize(2);

        state = authority.advance(Optional.of(state), changed.plus(Duration.ofMinutes(59)));
        assertThat(state.authorities()).hasSize(2);
        state = authority.advance(Optional.of(state), changed.plus(Duration.ofMinutes(61)));
        assertThat(state.authorities()).hasSize(1).doesNotContain(old);
    }

    @Test
    void afterALongPauseEverythingIsNewAtOnce() {
        AuthorityState old = authority.advance(Optional.empty(), START);
        Instant later = START.plus(Duration.ofDays(4000));
        AuthorityState state = authority.advance(Optional.of(old), later);
        assertThat(valid(state, later)).isTrue();
        assertThat(authority.advance(Optional.of(state), later)).isSameAs(state);
        state = authority.advance(Optional.of(state), later.plus(Duration.ofHours(2)));
        assertThat(state.authorities()).hasSize(1).doesNotContain(old.newest());
    }

    @Test
    void clockThatWasAheadHealsWhenItComesBack() {
        Instant ahead = START.plus(Duration.ofDays(4000));
        AuthorityState future = authority.advance(Optional.empty(), ahead);
        AuthorityState state = authority.advance(Optional.of(future), START);
        assertThat(valid(state, START)).isTrue();
        state = run(state, START, START.plus(Duration.ofHours(3)), Duration.ofMinutes(10));
        assertThat(valid(state, START.plus(Duration.ofHours(3)))).isTrue();
        assertThat(state.authorities()).hasSize(1);
    }

    @Test
    void clockThatJumpsAheadAndBackKeepsTheTrustedAuthority() {
        AuthorityState before = authority.advance(Optional.empty(), START);
        Instant ahead = START.plus(Duration.ofDays(4000));
        AuthorityState state = authority.advance(Optional.of(before), ahead);
        state = authority.advance(Optional.of(state), START.plus(Duration.ofHours(2)));
        assertThat(state.isLeafSignedBy(before.newest().leaf())).isTrue();
        assertThat(valid(state, START.plus(Duration.ofHours(2)))).isTrue();
    }

    @Test
    void smallStepsBackOfTheClockChangeNothing() {
        AuthorityState state = authority.advance(Optional.empty(), START);
        assertThat(authority.advance(Optional.of(state), START.minus(Duration.ofMinutes(50))))
                .isSameAs(state);
    }

    @Test
    void otherNamesGiveANewLeaf() {
        AuthorityState state = authority.advance(Optional.empty(), START);
        Authority renamed = new Authority(AuthorityPolicy.of(List.of("other.ns.svc")), new Issuer(new SecureRandom()));
        AuthorityState next = renamed.advance(Optional.of(state), START.plusSeconds(60));
        assertThat(next.authorities()).isEqualTo(state.authorities());
        assertThat(next.leaf()).isNotEqualTo(state.leaf());
    }

    /** The leaf that a lagging replica still serves, seen by a client that has a bundle as old as the overlap allows. */
    @Test
    void noClientWithinTheOverlapEverMeetsAnUnknownAuthority() {
        AuthorityPolicy policy = new AuthorityPolicy(
                List.of("hook.ns.svc"), Duration.ofHours(40), Duration.ofHours(12), Duration.ofHours(2));
        Authority fast = new Authority(policy, new Issuer(new SecureRandom()));
        Random random = new Random(3);
        Instant now = START;
        AuthorityState state = fast.advance(Optional.empty(), now);
        Deque<AuthorityState> lately = new ArrayDeque<>(List.of(state));
        Deque<Instant> at = new ArrayDeque<>(List.of(now));
        int changes = 0;
        for (int i = 0; i < 900; i++) {
            now = now.plus(Duration.ofMinutes(1 + random.nextInt(15)));
            AuthorityState next = fast.advance(Optional.of(state), now);
            changes += next.equals(state) ? 0 : 1;
            state = next;
            lately.addLast(state);
            at.addLast(now);
            // Everybody hears of a change within half the overlap.
            while (at.getFirst().isBefore(now.minus(policy.overlap().dividedBy(2)))) {
                at.removeFirst();
                lately.removeFirst();
            }
            for (AuthorityState served : List.of(lately.getFirst(), state)) {
                for (AuthorityState trusted : List.of(lately.getFirst(), state)) {
                    assertThat(trusted.authorities())
                            .as("round %d at %s", i, now)
                            .anyMatch(root -> served.isLeafSignedBy(root.leaf()));
                }
            }
            assertThat(valid(state, now)).isTrue();
            assertThat(state.authorities().size()).isLessThanOrEqualTo(2);
        }
        assertThat(changes).isGreaterThan(20);
    }

    /** A clock that jumps anywhere: the state is valid at once for the time it was made for, and never grows. */
    @Test
    void jumpingClockNeverLeavesAnInvalidState() {
        Random random = new Random(5);
        List<AuthorityState> states = new ArrayList<>(List.of(authority.advance(Optional.empty(), START)));
        for (int i = 0; i < 150; i++) {
            Instant now = START.plus(Duration.ofHours(random.nextInt(24 * 900) - 24 * 300));
            AuthorityState next = authority.advance(Optional.of(states.getLast()), now);
            assertThat(valid(next, now)).as("jump %d to %s", i, now).isTrue();
            assertThat(authority.advance(Optional.of(next), now)).isSameAs(next);
            states.add(next);
            assertThat(next.authorities().size()).isLessThanOrEqualTo(4);
        }
    }

    @Test
    void stateSurvivesItsStore() throws Exception {
        AuthorityState state = authority.advance(Optional.empty(), START);
        state = authority.advance(Optional.of(state), START.plus(Duration.ofDays(250)));
        assertThat(state.authorities()).hasSize(2);
        assertThat(AuthorityState.fromPem(state.toPem())).isEqualTo(state);
    }

    @Test
    void spoiltStoresAreReasons() {
        Map<String, String> good = authority.advance(Optional.empty(), START).toPem();
        for (String entry : good.keySet()) {
            Map<String, String> missing = new TreeMap<>(good);
            missing.remove(entry);
            assertThatThrownBy(() -> AuthorityState.fromPem(missing))
                    .isInstanceOf(UnusableKeyPairException.class)
                    .hasMessageContaining(entry);
            Map<String, String> foreign = new TreeMap<>(good);
            foreign.put(
                    entry, authority.advance(Optional.empty(), START).toPem().get(entry));
            assertThatThrownBy(() -> AuthorityState.fromPem(foreign))
                    .isInstanceOf(UnusableKeyPairException.class)
                    .hasMessageContaining("does not fit together");
        }
    }

    @Test
    void nonsensePoliciesAreRefused() {
        assertThatThrownBy(() ->
                        new AuthorityPolicy(List.of("a"), Duration.ofDays(1), Duration.ofDays(2), Duration.ofHours(1)))
                .hasMessageContaining("leaf life <= authority life");
        assertThatThrownBy(() -> AuthorityPolicy.of(List.of())).hasMessageContaining("at least one name");
    }

    private AuthorityState run(AuthorityState state, Instant from, Instant to, Duration step) {
        AuthorityState current = state;
        for (Instant now = from; now.isBefore(to); now = now.plus(step)) {
            current = authority.advance(Optional.of(current), now);
        }
        return authority.advance(Optional.of(current), to);
    }

    private static boolean valid(AuthorityState state, Instant now) {
        try {
            state.leaf().leaf().checkValidity(java.util.Date.from(now));
            for (CertifiedKey root : state.authorities()) {
                if (state.isLeafSignedBy(root.leaf())) {
                    root.leaf().checkValidity(java.util.Date.from(now));
                    return true;
                }
            }
            return false;
        } catch (CertificateException e) {
            return false;
        }
    }
}
