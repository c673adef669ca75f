package dev.plainsail.webhook.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LeaseTermTest {
    private static final Duration LENGTH = LeaseTerm.LENGTH;
    private static final Optional<String> OTHER = Optional.of("other");

    private final LeaseTerm term = new LeaseTerm("me");

    private static long at(double seconds) {
        return (long) (seconds * 1e9);
    }

    @Test
    void leaseThatSomebodyHoldsIsTakenOnlyAfterItsWholeLengthWithoutAChange() {
        assertThat(term.mayWrite(OTHER, LENGTH, "1", at(0))).isFalse();
        assertThat(term.mayWrite(OTHER, LENGTH, "1", at(10.9))).isFalse();
        assertThat(term.mayWrite(OTHER, LENGTH, "2", at(10.9)))
                .as("renewed meanwhile")
                .isFalse();
        assertThat(term.mayWrite(OTHER, LENGTH, "2", at(21.8))).isFalse();
        assertThat(term.mayWrite(OTHER, LENGTH, "2", at(21.9))).isTrue();
    }

    @Test
    void leaseThatNobodyHoldsIsTakenAtOnce() {
        assertThat(term.mayWrite(Optional.empty(), LENGTH, "1", at(0))).isTrue();
        assertThat(term.mayWrite(Optional.of(""), LENGTH, "2", at(0))).isTrue();
    }

    /** However long the answer took, or the process slept: the time counts from before the request. */
    @Test
    void leaderStopsByItselfBeforeAnybodyElseMayStart() {
        term.held(at(100));
        assertThat(term.isHeld(at(107.9))).isTrue();
        assertThat(term.isHeld(at(108))).isFalse();
        LeaseTerm follower = new LeaseTerm("follower");
        assertThat(follower.mayWrite(Optional.of("me"), LENGTH, "7", at(100))).isFalse();
        assertThat(follower.mayWrite(Optional.of("me"), LENGTH, "7", at(108))).isFalse();
    }

    @Test
    void leaderThatSeesAnotherHolderStopsAtOnce() {
        term.held(at(100));
        assertThat(term.mayWrite(OTHER, LENGTH, "9", at(101))).isFalse();
        assertThat(term.isHeld(at(101))).isFalse();
    }

    @Test
    void ownLeaseIsRenewedEvenWhenItHadRunOut() {
        term.held(at(100));
        assertThat(term.mayWrite(Optional.of("me"), LENGTH, "9", at(150))).isTrue();
        assertThat(term.isHeld(at(150))).as("not before it is renewed").isFalse();
        term.held(at(150));
        assertThat(term.isHeld(at(151))).isTrue();
    }

    @Test
    void nobodyLeadsBeforeTheFirstWrite() {
        assertThat(term.isHeld(at(0))).isFalse();
        term.held(at(0));
        term.givenUp();
        assertThat(term.isHeld(at(0))).isFalse();
    }
}
