package dev.plainsail.e2e.engine;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;

/**
 * Prometheus' text format as Python's client writes it, down to how it writes numbers ({@code 3.0}, {@code 1.5e+09}) and the
 * {@code _created} gauge behind every counter and histogram.
 */
final class MetricsWriter {
    /** One time series of a counter or gauge: its labels in braces, or nothing, and its value. */
    record Series(String labels, double value) {}

    /** One histogram: its labels without {@code le}, those before it in the alphabet and those behind. */
    record Buckets(String before, String after, Histogram histogram) {}

    private final StringBuilder out = new StringBuilder(64 * 1024);
    private final String createdAt;

    /** @param createdAt when the counters began, in seconds since 1970 */
    MetricsWriter(double createdAt) {
        this.createdAt = number(createdAt);
    }

    void gauge(String name, String help, List<Series> series) {
        head(name, "gauge", help);
        series.forEach(s -> sample(name, s.labels(), number(s.value())));
    }

    /** @param name with its suffix {@code _total} */
    void counter(String name, String help, List<Series> series) {
        head(name, "counter", help);
        series.forEach(s -> sample(name, s.labels(), number(s.value())));
        String created = name.substring(0, name.length() - "_total".length()) + "_created";
        head(created, "gauge", help);
        series.forEach(s -> sample(created, s.labels(), createdAt));
    }

    void histogram(String name, String help, List<Buckets> all) {
        head(name, "histogram", help);
        for (Buckets buckets : all) {
            Histogram histogram = buckets.histogram();
            double[] bounds = histogram.bounds();
            for (int i = 0; i <= bounds.length; i++) {
                String bound = i == bounds.length ? "+Inf" : number(bounds[i]);
                sample(
                        name + "_bucket",
                        "{" + buckets.before() + ",le=\"" + bound + "\"," + buckets.after() + "}",
                        number((double) histogram.cumulative(i)));
            }
            sample(name + "_count", braces(buckets), number((double) histogram.count()));
            sample(name + "_sum", braces(buckets), number(histogram.sum()));
        }
        head(name + "_created", "gauge", help);
        all.forEach(buckets -> sample(name + "_created", braces(buckets), createdAt));
    }

    private static String braces(Buckets buckets) {
        return "{" + buckets.before() + "," + buckets.after() + "}";
    }

    private void head(String name, String type, String help) {
        out.append("# HELP ").append(name).append(' ').append(help).append('\n');
        out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    private void sample(String name, String labels, String value) {
        out.append(name).append(labels).append(' ').append(value).append('\n');
    }

    String text() {
        return out.toString();
    }

    /** A label's value in quotes. */
    static String quoted(String value) {
        return '"' + value.replace("\\", "\\\\").replace("\n", "\\n").replace("\"", "\\\"") + '"';
    }

    static String number(double value) {
        if (Double.isInfinite(value)) {
            return value > 0 ? "+Inf" : "-Inf";
        }
        if (Double.isNaN(value)) {
            return "NaN";
        }
        double size = Math.abs(value);
        if (size != 0 && (size < 1e-4 || size >= 1e16)) {
            return exponent(value);
        }
        String plain =
                new BigDecimal(Double.toString(value)).stripTrailingZeros().toPlainString();
        String text = plain.contains(".") ? plain : plain + ".0";
        int dot = text.indexOf('.');
        if (value > 0 && dot > 6) {
            String digits = text.substring(0, dot) + text.substring(dot + 1);
            String mantissa = (digits.charAt(0) + "." + digits.substring(1))
                    .replaceAll("0+$", "")
                    .replaceAll("\\.$", "");
            return mantissa + String.format(Locale.ROOT, "e+%02d", dot - 1);
        }
        return text;
    }

    private static String exponent(double value) {
        String[] parts = Double.toString(value).split("E");
        String mantissa = parts[0].endsWith(".0") ? parts[0].substring(0, parts[0].length() - 2) : parts[0];
        int power = Integer.parseInt(parts[1]);
        return mantissa + (power < 0 ? "e-" : "e+") + String.format(Locale.ROOT, "%02d", Math.abs(power));
    }
}
