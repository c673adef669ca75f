package dev.plainsail.e2e;

/** Numbers that programs tell of themselves: in their metrics, and in the line of their log that says where they listen. */
public final class Told {
    private Told() {}

    /**
     * The sum of the samples of a metric, whatever their labels.
     *
     * @param metrics in Prometheus's text format
     * @param name the metric's; with its labels written out, of that sample alone
     */
    public static double sum(String metrics, String name) {
        return metrics.lines()
                .filter(line -> line.startsWith(name)
                        && (name.indexOf('{') > 0
                                || line.charAt(name.length()) == '{'
                                || line.charAt(name.length()) == ' '))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /**
     * A port that a program chose for itself: one that a test chose might be somebody else's before the program starts.
     *
     * @param listens what the line says
     * @param key under which the port stands in it
     */
    public static int port(String log, String listens, String key) {
        return Integer.parseInt(log.lines()
                .filter(line -> line.contains(listens))
                .findFirst()
                .orElseThrow()
                .replaceAll(".* " + key + "=\"(\\d+)\".*", "$1"));
    }
}
