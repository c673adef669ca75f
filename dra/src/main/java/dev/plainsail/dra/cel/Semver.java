package dev.plainsail.dra.cel;

import java.math.BigInteger;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Semantic Versioning 2.0.0. Build metadata counts for equality of the text, not for order. */
record Semver(long major, long minor, long patch, String preRelease, String build) implements Comparable<Semver> {

    private static final String NUMBER = "(0|[1-9][0-9]{0,17})";
    private static final Pattern STRICT = Pattern.compile(NUMBER + "\\." + NUMBER + "\\." + NUMBER
            + "(?:-((?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(?:\\.(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*))?"
            + "(?:\\+([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?");

    static Optional<Semver> parse(String text) {
        Matcher matcher = STRICT.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String preRelease = matcher.group(4);
        String build = matcher.group(5);
        return Optional.of(new Semver(
                Long.parseLong(matcher.group(1)),
                Long.parseLong(matcher.group(2)),
                Long.parseLong(matcher.group(3)),
                preRelease == null ? "" : preRelease,
                build == null ? "" : build));
    }

    /** Kubernetes' normalizing form: a {@code v} in front, missing parts and leading zeros are forgiven. */
    static Optional<Semver> parseLenient(String text) {
        String rest = text.startsWith("v") ? text.substring(1) : text;
        int end = rest.length();
        for (char c : new char[] {'-', '+'}) {
            int at = rest.indexOf(c);
            end = at >= 0 && at < end ? at : end;
        }
        String[] parts = rest.substring(0, end).split("\\.", -1);
        if (parts.length > 3) {
            return Optional.empty();
        }
        StringBuilder numbers = new StringBuilder();
        for (int i = 0; i < 3; i++) {
            String part = i < parts.length ? parts[i] : "0";
            String trimmed = part.replaceFirst("^0+(?=.)", "");
            numbers.append(i == 0 ? "" : ".").append(trimmed);
        }
        return parse(numbers + rest.substring(end));
    }

    @Override
    public int compareTo(Semver other) {
        int order = Long.compare(major, other.major);
        order = order == 0 ? Long.compare(minor, other.minor) : order;
        order = order == 0 ? Long.compare(patch, other.patch) : order;
        return order == 0 ? comparePreRelease(preRelease, other.preRelease) : order;
    }

    private static int comparePreRelease(String a, String b) {
        if (a.isEmpty() || b.isEmpty()) {
            return Boolean.compare(a.isEmpty(), b.isEmpty());
        }
        String[] left = a.split("\\.");
        String[] right = b.split("\\.");
        for (int i = 0; i < Math.min(left.length, right.length); i++) {
            boolean isLeftNumber = left[i].matches("[0-9]+");
            boolean isRightNumber = right[i].matches("[0-9]+");
            int order;
            if (isLeftNumber && isRightNumber) {
                order = new BigInteger(left[i]).compareTo(new BigInteger(right[i]));
            } else {
                order = isLeftNumber != isRightNumber ? (isLeftNumber ? -1 : 1) : left[i].compareTo(right[i]);
            }
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(left.length, right.length);
    }
}
