package dev.plainsail.dra;

import dev.plainsail.dra.CelScanner.MistakeException;
import dev.plainsail.dra.DeviceSelection.Allocation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The short form: {@code [name=]class [xN | all] [where CEL]}, several joined by commas. One use, one thread.
 */
final class ShortText {

    private static final Pattern COUNT = Pattern.compile("x([0-9]+)");
    private static final Pattern ALMOST_COUNT = Pattern.compile("(?:[xX*]?=?([0-9]+)[xX]?|([0-9]+)[xX*]|[xX*])");
    private static final int CEL_BYTES = 10 * 1024;

    private final String text;
    private final List<ClaimProblem> problems = new ArrayList<>();
    private final List<Request> requests = new ArrayList<>();
    private int position;
    private boolean isFirstCountOpen;

    /** A request before it has its name. */
    private record Request(@Nullable String name, int offset, DeviceSelection selection) {}

    /** A word with the place where it starts. */
    private record Word(String text, int offset) {}

    ShortText(String text) {
        this.text = text;
    }

    ParsedClaim parse() {
        try {
            do {
                request();
            } while (consumedComma());
        } catch (MistakeException e) {
            refuse(e.mistake().offset(), "", e.mistake().detail());
        }
        List<DeviceRequest> named = named();
        if (problems.isEmpty() && named.size() > DeviceClaim.LIMIT) {
            refuse(0, "", named.size() + " requests; a claim has at most " + DeviceClaim.LIMIT);
        }
        if (problems.isEmpty()) {
            ClaimLimits.deviceTotal(named).ifPresent(problems::add);
        }
        return problems.isEmpty()
                ? new ParsedClaim.Accepted(new DeviceClaim(named, List.of(), List.of()), isFirstCountOpen)
                : new ParsedClaim.Refused(problems);
    }

    private boolean consumedComma() {
        if (position < text.length() && text.charAt(position) == ',') {
            position++;
            return true;
        }
        return false;
    }

    private void request() throws MistakeException {
        int before = problems.size();
        List<Word> head = head();
        Optional<String> cel = Optional.empty();
        int celOffset = position;
        if (!head.isEmpty() && head.getLast().text().equals("where")) {
            Word where = head.removeLast();
            int start = position;
            position = new CelScanner(text, start).end();
            String expression = text.substring(start, position).strip();
            celOffset = start;
            if (expression.isEmpty()) {
                refuse(where.offset(), "where", "nothing follows 'where'; write a CEL condition or leave it out");
            }
            cel = Optional.of(expression);
        }
        if (head.isEmpty()) {
            refuse(
                    Math.min(position, text.length()),
                    "",
                    text.isBlank()
                            ? "is empty; write a device class, as in gpu.nvidia.com x2"
                            : "a request is missing here; each is a device class, as in gpu.nvidia.com x2");
            return;
        }
        Optional<Allocation> allocation = allocation(head);
        Word first = head.getFirst();
        int equals = first.text().indexOf('=');
        String name = equals < 0 ? null : first.text().substring(0, equals);
        String className = first.text().substring(equals + 1);
        if (name != null && !DnsNames.isLabel(name)) {
            refuse(first.offset(), name, "is no request name: use lower case letters, digits and '-', at most 63");
        }
        if (!DnsNames.isSubdomain(className)) {
            refuse(first.offset() + equals + 1, className, classDetail(className));
        }
        if (cel.isPresent() && cel.get().getBytes(StandardCharsets.UTF_8).length > CEL_BYTES) {
            refuse(celOffset, "", "the CEL condition is longer than 10 KiB");
        }
        if (problems.size() == before && allocation.isPresent()) {
            DeviceSelection selection = new DeviceSelection(
                    className, cel.map(List::of).orElse(List.of()), allocation.get(), List.of(), new TreeMap<>());
            requests.add(new Request(name, first.offset(), selection));
        }
    }

    private static String classDetail(String className) {
        if (className.isEmpty()) {
            return "the device class is missing after '='; write it there, as in gpu=gpu.nvidia.com";
        }
        if (ALMOST_COUNT.matcher(className).matches()) {
            return "the device class comes first, then the count, as in gpu.nvidia.com x2";
        }
        return "is no device class name: use lower case letters, digits, '-' and '.', as in gpu.nvidia.com"
                + " (see: kubectl get deviceclasses)";
    }

    /** The words up to the comma, the end, or a {@code where}, which is then the last of them. */
    private List<Word> head() throws MistakeException {
        List<Word> words = new ArrayList<>();
        while (true) {
            while (position < text.length() && Character.isWhitespace(text.charAt(position))) {
                position++;
            }
            int start = position;
            while (position < text.length() && !isEndOfWord(text.charAt(position))) {
                position++;
            }
            if (position == start) {
                return words;
            }
            words.add(new Word(text.substring(start, position), start));
            if (words.getLast().text().equals("where")) {
                return words;
            }
        }
    }

    private static boolean isEndOfWord(char c) {
        return c == ',' || Character.isWhitespace(c);
    }

    private Optional<Allocation> allocation(List<Word> head) {
        if (head.size() == 1) {
            isFirstCountOpen |= requests.isEmpty();
            return Optional.of(new Allocation.ExactCount(1));
        }
        Word second = head.get(1);
        Optional<Allocation> result = Optional.empty();
        Matcher count = COUNT.matcher(second.text());
        if (second.text().equals("all")) {
            result = Optional.of(new Allocation.All());
        } else if (count.matches()) {
            result = count(second, count.group(1));
        } else if (ALMOST_COUNT.matcher(second.text()).matches()) {
            String digits = second.text().replaceAll("[^0-9]", "");
            String next = head.size() > 2 ? head.get(2).text() : "";
            refuse(
                    second.offset(),
                    second.text(),
                    "write the count as x" + suggestion(digits.isEmpty() ? next : digits)
                            + ": a small x, no space, no other sign");
            return Optional.empty();
        } else {
            refuse(second.offset(), second.text(), wordDetail(second.text()));
            return Optional.empty();
        }
        if (head.size() > 2) {
            Word third = head.get(2);
            boolean isCountToo =
                    third.text().equals("all") || COUNT.matcher(third.text()).matches();
            refuse(
                    third.offset(),
                    third.text(),
                    isCountToo ? "write a count or all, not both" : wordDetail(third.text()));
            return Optional.empty();
        }
        return result;
    }

    private static String suggestion(String digits) {
        return digits.matches("[1-9]|[12][0-9]|3[0-2]") ? digits : "2";
    }

    private static String wordDetail(String word) {
        if (word.contains("device.") || word.contains("(") || word.contains("\"")) {
            return "put 'where' before the CEL condition";
        }
        if (word.equalsIgnoreCase("where") || word.equalsIgnoreCase("all")) {
            return "write it in lower case";
        }
        if (word.startsWith("x")) {
            return "the count is a number from x1 to x" + DeviceClaim.LIMIT + ", without leading zero";
        }
        return "is not understood here; after the class may come xN or all, then 'where' and a CEL condition; requests are"
                + " separated by commas";
    }

    private Optional<Allocation> count(Word word, String digits) {
        if (digits.startsWith("0") || digits.length() > 2 || Integer.parseInt(digits) > DeviceClaim.LIMIT) {
            refuse(
                    word.offset(),
                    word.text(),
                    "the count is a number from x1 to x" + DeviceClaim.LIMIT + ", without leading zero");
            return Optional.empty();
        }
        return Optional.of(new Allocation.ExactCount(Integer.parseInt(digits)));
    }

    private List<DeviceRequest> named() {
        List<DeviceRequest> result = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (int i = 0; i < requests.size(); i++) {
            Request request = requests.get(i);
            String fallback = requests.size() == 1 ? "device" : "device-" + (i + 1);
            String name = request.name() == null ? fallback : request.name();
            if (!names.add(name)) {
                refuse(request.offset(), name, "is the name of two requests; give each its own, as in gpu=CLASS");
            }
            result.add(new DeviceRequest.Exactly(name, request.selection()));
        }
        return result;
    }

    private void refuse(int offset, String badValue, String detail) {
        problems.add(new ClaimProblem("", badValue, place(offset) + ": " + detail));
    }

    private String place(int offset) {
        String before = text.substring(0, offset);
        int lines = (int) before.chars().filter(c -> c == '\n').count();
        int column = before.codePointCount(before.lastIndexOf('\n') + 1, offset) + 1;
        return text.indexOf('\n') < 0 ? "column " + column : "line " + (lines + 1) + ", column " + column;
    }
}
