package dev.plainsail.epp.datalayer;

import dev.plainsail.epp.datalayer.EngineReport.Counters;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads the few lines of an engine's {@code /metrics} text that are used; all others are skipped to their end, eight
 * bytes a step. A bad line never voids the rest. Stateless; safe from any thread.
 */
final class EngineMetrics {
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;
    private static final long NEWLINES = '\n' * ONES;
    private static final int MAX_NAME = 120;

    private final Map<String, List<MetricSpec>> byName = new HashMap<>();
    private final boolean[] firstBytes = new boolean[128];

    EngineMetrics(List<MetricSpec> specs) {
        for (MetricSpec spec : specs) {
            byName.computeIfAbsent(spec.name(), ignored -> new ArrayList<>()).add(spec);
            firstBytes[spec.name().charAt(0) & 127] = true;
        }
    }

    /** @param readAtNanos when the text was asked for */
    EngineReport read(byte[] text, int from, int to, long readAtNanos) {
        Tally tally = new Tally();
        for (int line = from; line < to; ) {
            int end = endOfLine(text, line, to);
            byte first = text[line];
            if (first >= 0 && firstBytes[first]) {
                line(text, line, end, tally);
            }
            line = end + 1;
        }
        return tally.report(readAtNanos);
    }

    private void line(byte[] text, int from, int end, Tally tally) {
        int name = from;
        while (name < end && text[name] != '{' && text[name] != ' ') {
            name++;
        }
        if (name - from > MAX_NAME || (name - from > 8 && isBucket(text, name))) {
            return;
        }
        List<MetricSpec> specs = byName.get(new String(text, from, name - from, StandardCharsets.ISO_8859_1));
        if (specs == null) {
            return;
        }
        LabelReader labels = new LabelReader(text, name, end);
        if (!labels.read()) {
            return;
        }
        double value = value(text, labels.end(), end);
        for (MetricSpec spec : specs) {
            if (spec.matches(labels.labels())) {
                tally.add(spec, labels.labels(), value);
            }
        }
    }

    /** Most lines are histogram buckets. */
    private static boolean isBucket(byte[] text, int end) {
        return text[end - 1] == 't' && text[end - 2] == 'e' && text[end - 3] == 'k' && text[end - 7] == '_';
    }

    /** The number after the labels, a time stamp behind it ignored; NaN for what is no number, not finite, or negative. */
    private static double value(byte[] text, int from, int end) {
        int start = from;
        while (start < end && text[start] == ' ') {
            start++;
        }
        int stop = start;
        while (stop < end && text[stop] > ' ') {
            stop++;
        }
        try {
            double value = Double.parseDouble(new String(text, start, stop - start, StandardCharsets.ISO_8859_1));
            return Double.isFinite(value) && value >= 0 ? value : Double.NaN;
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    static int endOfLine(byte[] text, int from, int to) {
        int i = from;
        for (; i + Long.BYTES <= to; i += Long.BYTES) {
            long difference = (long) WORD.get(text, i) ^ NEWLINES;
            long found = (difference - ONES) & ~difference & HIGHS;
            if (found != 0) {
                return i + (Long.numberOfTrailingZeros(found) >>> 3);
            }
        }
        while (i < to && text[i] != '\n') {
            i++;
        }
        return i;
    }

    /** The values of one text, series that are the same thing under several process or rank labels joined. */
    private static final class Tally {
        private static final List<String> SAME_THING = List.of("pid", "tp_rank", "pp_rank", "moe_ep_rank");

        private final Map<Quantity, Map<String, Double>> series = new HashMap<>();
        private final Map<String, Map<String, Double>> attributes = new HashMap<>();
        private final Set<Quantity> own = EnumSet.noneOf(Quantity.class);
        private final Set<String> models = new TreeSet<>();
        private int infoBlockTokens;
        private int infoBlocks;
        private Load.Adapters adapters = Load.Adapters.NONE;
        private double adaptersAt = Double.NEGATIVE_INFINITY;

        void add(MetricSpec spec, Map<String, String> labels, double value) {
            switch (spec.quantity()) {
                case CACHE_INFO -> cacheInfo(labels);
                case LORA_INFO -> loraInfo(labels, value);
                case ATTRIBUTE -> {
                    if (!Double.isNaN(value)) {
                        attributes
                                .computeIfAbsent(spec.attribute(), ignored -> new HashMap<>())
                                .put(labels.toString(), value);
                    }
                }
                default -> {
                    if (spec.own() && own.add(spec.quantity())) {
                        series.remove(spec.quantity());
                    }
                    if (spec.own() || !own.contains(spec.quantity())) {
                        number(spec.quantity(), labels, value);
                    }
                }
            }
        }

        private Map<String, Double> sums() {
            Map<String, Double> sums = new HashMap<>();
            attributes.forEach((name, values) -> sums.put(
                    name,
                    values.values().stream().mapToDouble(Double::doubleValue).sum()));
            return sums;
        }

        private void number(Quantity quantity, Map<String, String> labels, double value) {
            String model = labels.get("model_name");
            if (model != null && !model.isEmpty()) {
                models.add(model);
            }
            if (!Double.isNaN(value)) {
                SAME_THING.forEach(labels::remove);
                series.computeIfAbsent(quantity, ignored -> new HashMap<>()).merge(labels.toString(), value, Math::max);
            }
        }

        private void cacheInfo(Map<String, String> labels) {
            infoBlockTokens = Math.max(infoBlockTokens, count(labels, "block_size", "page_size"));
            infoBlocks += count(labels, "num_gpu_blocks", "num_pages");
        }

        /** Old combinations stay in the text; the one with the latest time is true. */
        private void loraInfo(Map<String, String> labels, double value) {
            if (value > adaptersAt) {
                adaptersAt = value;
                adapters = new Load.Adapters(
                        names(labels.get("running_lora_adapters")),
                        names(labels.get("waiting_lora_adapters")),
                        count(labels, "max_lora", "max_lora"));
            }
        }

        private static Set<String> names(@Nullable String list) {
            Set<String> names = new TreeSet<>();
            for (String name : list == null ? new String[0] : list.split(",")) {
                if (!name.isBlank()) {
                    names.add(name.trim());
                }
            }
            return names;
        }

        /** "", "None", "0" and what is no number are unknown: 0. */
        private static int count(Map<String, String> labels, String label, String otherLabel) {
            String text = labels.getOrDefault(label, labels.getOrDefault(otherLabel, ""));
            return text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : 0;
        }

        private double sum(Quantity quantity) {
            Map<String, Double> values = series.get(quantity);
            return values == null
                    ? Double.NaN
                    : values.values().stream().mapToDouble(Double::doubleValue).sum();
        }

        private double mean(Quantity quantity) {
            Map<String, Double> values = series.get(quantity);
            return values == null
                    ? Double.NaN
                    : values.values().stream()
                            .mapToDouble(value -> Math.min(value, 1))
                            .average()
                            .orElse(Double.NaN);
        }

        private int whole(Quantity quantity, int instead) {
            double value = sum(quantity);
            return value >= 1 && value < Integer.MAX_VALUE ? (int) value : instead;
        }

        EngineReport report(long readAtNanos) {
            double used = mean(Quantity.KV_USED);
            Load load = new Load(
                    readAtNanos,
                    sum(Quantity.WAITING),
                    sum(Quantity.RUNNING),
                    Double.isNaN(used) ? mean(Quantity.KV_USED_OLD) : used,
                    whole(Quantity.KV_BLOCK_TOKENS, infoBlockTokens),
                    whole(Quantity.KV_BLOCKS, infoBlocks),
                    adapters,
                    sums());
            Counters counters = new Counters(
                    sum(Quantity.PROCESS_START),
                    sum(Quantity.PREFILL_TOKENS),
                    sum(Quantity.PREFILL_SECONDS),
                    sum(Quantity.PREFILL_REQUESTS),
                    sum(Quantity.COMPUTED_PROMPT_TOKENS),
                    sum(Quantity.PREFIX_QUERIED_TOKENS),
                    sum(Quantity.PREFIX_HIT_TOKENS),
                    sum(Quantity.FIRST_TOKENS));
            return new EngineReport(load, counters, models);
        }
    }
}
