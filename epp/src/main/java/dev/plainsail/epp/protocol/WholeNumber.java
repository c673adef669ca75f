package dev.plainsail.epp.protocol;

/** Numbers as JSON literals, as far as they count something. */
final class WholeNumber {
    private static final int MOST_DIGITS = 10;

    private WholeNumber() {}

    /** A whole number from 0 to 2^31 - 1 in plain digits; -1 for everything else. */
    static int of(byte[] bytes, int length) {
        long value = 0;
        if (length == 0 || length > MOST_DIGITS) {
            return -1;
        }
        for (int i = 0; i < length; i++) {
            int digit = bytes[i] - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = value * 10 + digit;
        }
        return value > Integer.MAX_VALUE ? -1 : (int) value;
    }
}
