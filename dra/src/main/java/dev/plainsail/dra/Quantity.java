package dev.plainsail.dra;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Kubernetes resource quantity: an exact number that remembers how it likes to be spelled. Finer than nano is rounded
 * away from zero, as the API server does. {@link #toString()} is the API's canonical spelling, and equality is of that spelling.
 */
public record Quantity(BigDecimal value, Format format) implements Comparable<Quantity> {

    /** The family of suffixes. */
    public enum Format {
        DECIMAL_EXPONENT,
        BINARY_SI,
        DECIMAL_SI
    }

    private static final Pattern SYNTAX =
            Pattern.compile("([+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+))([eE][+-]?[0-9]{1,3}|[KMGTPE]i|[numkMGTPE]?)");
    private static final List<String> BINARY = List.of("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei");
    private static final List<String> DECIMAL = List.of("n", "u", "m", "", "k", "M", "G", "T", "P", "E");
    private static final BigInteger KIBI = BigInteger.valueOf(1024);
    private static final BigDecimal KIBI_DECIMAL = new BigDecimal(KIBI);
    private static final int NANO = 9;

    public Quantity {
        value = value.setScale(Math.min(NANO, Math.max(0, value.scale())), RoundingMode.UP);
        value = value.signum() == 0 ? BigDecimal.ZERO : value.stripTrailingZeros();
    }

    /** Empty if the text is not a quantity. */
    public static Optional<Quantity> parse(String text) {
        Matcher matcher = SYNTAX.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        BigDecimal number = new BigDecimal(matcher.group(1));
        String suffix = matcher.group(2);
        int binary = BINARY.indexOf(suffix);
        if (binary > 0) {
            return Optional.of(new Quantity(number.multiply(new BigDecimal(KIBI.pow(binary))), Format.BINARY_SI));
        }
        int decimal = DECIMAL.indexOf(suffix);
        if (decimal >= 0) {
            return Optional.of(new Quantity(number.scaleByPowerOfTen(3 * (decimal - 3)), Format.DECIMAL_SI));
        }
        int exponent = Integer.parseInt(suffix.substring(1));
        return Optional.of(new Quantity(number.scaleByPowerOfTen(exponent), Format.DECIMAL_EXPONENT));
    }

    @Override
    public int compareTo(Quantity other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        if (format == Format.BINARY_SI && value.abs().compareTo(KIBI_DECIMAL) >= 0 && isInteger()) {
            return binary(value.toBigIntegerExact());
        }
        return decimal();
    }

    public boolean isInteger() {
        return value.scale() <= 0;
    }

    private static String binary(BigInteger whole) {
        int power = 0;
        BigInteger rest = whole;
        while (power < BINARY.size() - 1 && rest.mod(KIBI).signum() == 0) {
            rest = rest.divide(KIBI);
            power++;
        }
        return rest + BINARY.get(power);
    }

    private String decimal() {
        if (value.signum() == 0) {
            return "0";
        }
        // the largest multiple of three that leaves a whole number in front
        int exponent = Math.floorDiv(-value.scale(), 3) * 3;
        if (format != Format.DECIMAL_EXPONENT) {
            exponent = Math.min(exponent, 18);
        }
        BigInteger front = value.scaleByPowerOfTen(-exponent).toBigIntegerExact();
        if (format == Format.DECIMAL_EXPONENT) {
            return exponent == 0 ? front.toString() : front + "e" + exponent;
        }
        return front + DECIMAL.get(exponent / 3 + 3);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Quantity quantity && toString().equals(quantity.toString());
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }
}
