package dev.plainsail.certs.authority;

import java.time.Duration;
import java.util.List;

/**
 * How long things live. {@code overlap} is the time for which a new authority is trusted before anything is signed by it, and
 * an old one after nothing is served by it any more: it must be longer than the slowest reader of the bundle needs.
 *
 * @param names what the leaf is valid for: DNS names and IP addresses; the first is its subject
 */
public record AuthorityPolicy(List<String> names, Duration authorityLife, Duration leafLife, Duration overlap) {
    public AuthorityPolicy {
        names = List.copyOf(names);
        if (names.isEmpty()) {
            throw new IllegalArgumentException("a leaf needs at least one name");
        }
        if (overlap.isNegative()
                || leafLife.compareTo(authorityLife) > 0
                || leafLife.compareTo(overlap.multipliedBy(3)) < 0) {
            throw new IllegalArgumentException("wanted: 3 x overlap <= leaf life <= authority life; have overlap "
                    + overlap + ", leaf " + leafLife + ", authority " + authorityLife);
        }
    }

    /** One year, thirty days, one hour. */
    public static AuthorityPolicy of(List<String> names) {
        return new AuthorityPolicy(names, Duration.ofDays(365), Duration.ofDays(30), Duration.ofHours(1));
    }
}
