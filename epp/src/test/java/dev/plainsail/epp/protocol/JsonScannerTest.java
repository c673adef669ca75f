package dev.plainsail.epp.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/** The scanner against Jackson, on random texts, whole ones and broken ones, cut at every byte. */
final class JsonScannerTest {
    private static final JsonFactory JACKSON = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(2000).build())
            .build();

    @Test
    void hearsWhatJacksonReadsWhereverTheTextIsCut() {
        Random random = new Random(20261130);
        for (int round = 0; round < 400; round++) {
            byte[] text = new Writer(random).document().getBytes(StandardCharsets.UTF_8);
            String expected = jackson(text);
            assertThat(expected).as(new String(text, StandardCharsets.UTF_8)).doesNotStartWith("broken");
            for (int cut = 0; cut <= text.length; cut++) {
                assertThat(scanner(text, cut))
                        .as("cut at %d of %s", cut, new String(text, StandardCharsets.UTF_8))
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void agreesWithJacksonOnWhatIsBroken() {
        Random random = new Random(4711);
        int broken = 0;
        for (int round = 0; round < 5_000; round++) {
            byte[] text = damaged(new Writer(random).document().getBytes(StandardCharsets.UTF_8), random);
            if (new String(text, StandardCharsets.UTF_8).strip().matches("(?s)[^{\\[\"].*")) {
                continue; // a bare number, perhaps cut: how it is spelt is not looked at
            }
            String ours = scanner(text, random.nextInt(text.length + 1));
            String theirs = jackson(text);
            if (theirs.startsWith("broken")) {
                broken++;
            }
            if (!theirs.startsWith("broken")) {
                assertThat(ours).as(new String(text, StandardCharsets.UTF_8)).isEqualTo(theirs);
            } else if (!lenient(theirs)) {
                assertThat(ours)
                        .as("%s %s", new String(text, StandardCharsets.UTF_8), theirs)
                        .startsWith("broken");
            }
        }
        assertThat(broken).isGreaterThan(1_000);
    }

    /** How numbers and literals are spelt is the engine's business; half surrogates and bad UTF-8 Python reads or refuses itself. */
    private static boolean lenient(String broken) {
        return broken.contains("UTF-8")
                || broken.contains("surrogate")
                || broken.contains("numeric")
                || broken.contains("token")
                || broken.contains("number")
                || broken.matches("(?s).*Unexpected character \\('[A-Za-z0-9+.-]'.*");
    }

    @Test
    void findsTheEndOfPlainTextWhereverItStands() {
        Random random = new Random(3);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = new byte[random.nextInt(40)];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte)
                        (random.nextInt(12) == 0
                                ? "\"\\\n\u0000\u001f ".charAt(random.nextInt(6))
                                : random.nextInt(256));
            }
            int from = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
            int naive = from;
            while (naive < bytes.length
                    && bytes[naive] != '"'
                    && bytes[naive] != '\\'
                    && (bytes[naive] < 0 || bytes[naive] >= 0x20)) {
                naive++;
            }
            assertThat(PlainText.end(bytes, from, bytes.length)).isEqualTo(naive);
        }
    }

    private static byte[] damaged(byte[] text, Random random) {
        byte[] copy = Arrays.copyOf(text, text.length);
        return switch (random.nextInt(4)) {
            case 0 -> Arrays.copyOf(copy, random.nextInt(copy.length));
            case 1 -> {
                copy[random.nextInt(copy.length)] = (byte) "{}[]\",:\\ \n1tx".charAt(random.nextInt(13));
                yield copy;
            }
            case 2 -> {
                int at = random.nextInt(copy.length);
                byte[] shorter = Arrays.copyOf(copy, copy.length - 1);
                System.arraycopy(copy, at + 1, shorter, at, copy.length - at - 1);
                yield shorter;
            }
            default -> {
                byte[] longer = Arrays.copyOf(copy, copy.length + 1);
                longer[copy.length] = (byte) "}],x\"".charAt(random.nextInt(5));
                yield longer;
            }
        };
    }

    private static String scanner(byte[] text, int cut) {
        Heard heard = new Heard();
        JsonScanner scanner = new JsonScanner(heard);
        scanner.read(text, 0, cut);
        scanner.read(text, cut, text.length);
        scanner.end();
        return scanner.problem() == null ? comparable(heard.said) : "broken " + scanner.problem();
    }

    /** Half a surrogate pair has no UTF-8: however a reader shows it, it counts as one unreadable character. */
    private static String comparable(CharSequence said) {
        return said.toString()
                .replaceAll("(?<![\\uD800-\\uDBFF])[\\uDC00-\\uDFFF]|[\\uD800-\\uDBFF](?![\\uDC00-\\uDFFF])", "\uFFFD")
                .replaceAll("\uFFFD+", "\uFFFD");
    }

    /** The same words, from Jackson. */
    private static String jackson(byte[] text) {
        StringBuilder said = new StringBuilder();
        try (JsonParser parser = JACKSON.createParser(ObjectReadContext.empty(), text)) {
            int depth = 0;
            boolean ended = false;
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (ended) {
                    return "broken: more than one value";
                }
                switch (token) {
                    case START_OBJECT, START_ARRAY -> depth++;
                    case END_OBJECT, END_ARRAY -> depth--;
                    default -> {}
                }
                said.append(
                        switch (token) {
                            case START_OBJECT -> "{";
                            case END_OBJECT -> "}";
                            case START_ARRAY -> "[";
                            case END_ARRAY -> "]";
                            case PROPERTY_NAME -> "k" + parser.getString() + ";";
                            case VALUE_STRING -> "s" + parser.getString() + ";";
                            default -> "l" + parser.getString() + ";";
                        });
                ended = depth == 0;
            }
            return ended ? comparable(said) : "broken: empty";
        } catch (JacksonException e) {
            return "broken: " + e.getOriginalMessage();
        }
    }

    private static final class Heard implements JsonScanner.Events {
        final StringBuilder said = new StringBuilder();
        private final ByteArrayOutputStream text = new ByteArrayOutputStream();

        @Override
        public void beginObject() {
            said.append('{');
        }

        @Override
        public void endObject() {
            said.append('}');
        }

        @Override
        public void beginArray() {
            said.append('[');
        }

        @Override
        public void endArray() {
            said.append(']');
        }

        @Override
        public void key(byte[] key, int length) {
            said.append('k')
                    .append(new String(key, 0, length, StandardCharsets.UTF_8))
                    .append(';');
        }

        @Override
        public void beginString(long offset) {
            text.reset();
        }

        @Override
        public void text(byte[] bytes, int from, int to) {
            text.write(bytes, from, to - from);
        }

        @Override
        public void endString(long end) {
            said.append('s').append(text.toString(StandardCharsets.UTF_8)).append(';');
        }

        @Override
        public void literal(byte[] bytes, int length) {
            said.append('l')
                    .append(new String(bytes, 0, length, StandardCharsets.ISO_8859_1))
                    .append(';');
        }
    }

    /** Random JSON with every kind of escape and space. */
    private static final class Writer {
        private static final String[] LITERALS = {"true", "false", "null", "0", "-1", "12.5e-3", "99999999999999999999"
        };
        private final Random random;

        Writer(Random random) {
            this.random = random;
        }

        String document() {
            return space() + value(0) + space();
        }

        private String value(int depth) {
            return switch (random.nextInt(depth > 4 ? 2 : 4)) {
                case 0 -> LITERALS[random.nextInt(LITERALS.length)];
                case 1 -> string(20);
                case 2 -> list(depth, '[', ']');
                default -> list(depth, '{', '}');
            };
        }

        private String list(int depth, char open, char close) {
            StringBuilder text = new StringBuilder().append(open).append(space());
            for (int i = random.nextInt(4); i > 0; i--) {
                if (open == '{') {
                    text.append(string(6)).append(space()).append(':').append(space());
                }
                text.append(value(depth + 1)).append(space());
                if (i > 1) {
                    text.append(',').append(space());
                }
            }
            return text.append(close).toString();
        }

        private String string(int most) {
            StringBuilder text = new StringBuilder("\"");
            for (int i = random.nextInt(most); i > 0; i--) {
                text.append(
                        switch (random.nextInt(9)) {
                            case 0 -> "\\" + "\"\\/bfnrt".charAt(random.nextInt(8));
                            case 1 -> String.format("\\u%04x", random.nextInt(0xD800));
                            case 2 -> "\\uD83D\\uDE" + (10 + random.nextInt(80));
                            case 3 -> "\u00fc\u20ac";
                            case 4 -> "\uD83D\uDE00";
                            default -> Character.toString('a' + random.nextInt(26));
                        });
            }
            return text.append('"').toString();
        }

        private String space() {
            return " \n\t\r".substring(0, random.nextInt(10) == 0 ? 1 + random.nextInt(4) : 0);
        }
    }
}
