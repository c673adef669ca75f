package dev.plainsail.epp.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Every message in every state, and what comes of it: the answers and the next state. The table is
 * {@code src/test/resources/ext-proc-states.txt}; {@code -Dgolden.update=true} rewrites it.
 */
final class StateTableTest {
    private static final Path TABLE = Path.of("src/test/resources/ext-proc-states.txt");

    private static final String POST = "> request-headers duplex/duplex chat";
    private static final String BODY = "> request-body '{\"model\":\"m\"}'";

    private static final Map<String, List<String>> WAYS = ways();

    private static Map<String, List<String>> ways() {
        Map<String, List<String>> ways = new LinkedHashMap<>();
        ways.put("Fresh", List.of());
        ways.put("Collecting", List.of(POST, BODY));
        ways.put("Deciding", List.of(POST, BODY, "> request-body end"));
        ways.put("Sending", List.of(POST, BODY, "> unready", "> request-body end", "> verdict"));
        ways.put("Answering", List.of(POST, BODY, "> request-body end", "> verdict"));
        ways.put("Aside", List.of(POST, BODY, "> response-headers 413"));
        ways.put("Ended", List.of(POST, "> request-body 'no' end", "> verdict"));
        return ways;
    }

    private static final List<String> MESSAGES = List.of(
            "request-headers duplex/duplex chat",
            "request-body 'more'",
            "request-body end",
            "request-trailers",
            "response-headers 200",
            "response-headers 200 end",
            "response-body 'data'",
            "response-body end",
            "response-trailers",
            "unknown",
            "half-close",
            "cancel",
            "ready",
            "wait 6000",
            "verdict");

    @Test
    void everyMessageInEveryStateDoesWhatTheTableSays() throws IOException {
        List<String> table = new ArrayList<>();
        WAYS.forEach((state, way) -> {
            for (String message : MESSAGES) {
                table.add(row(state, way, message));
            }
        });
        if (Boolean.getBoolean("golden.update") && System.getenv("CI") == null) {
            Files.write(TABLE, table);
        }
        assertThat(table).isEqualTo(Files.readAllLines(TABLE));
    }

    @Test
    void noStateIsLeftOut() {
        Set<String> states = new TreeSet<>();
        for (Class<?> state : State.class.getPermittedSubclasses()) {
            states.add(state.getSimpleName());
        }
        assertThat(new TreeSet<>(WAYS.keySet())).isEqualTo(states);
    }

    private static String row(String state, List<String> way, String message) {
        Script script = new Script("later forward 10.0.0.1:8000", 1 << 20, 1 << 24);
        way.forEach(script::step);
        assertThat(script.state().getClass().getSimpleName()).as(way.toString()).isEqualTo(state);
        int before = script.log().size();
        script.step("> " + message);
        List<String> did = script.log().subList(before + 1, script.log().size());
        String next = script.state().getClass().getSimpleName();
        return state + " + " + message + " -> " + next
                + did.stream().map(line -> " |" + line.substring(1)).reduce("", String::concat);
    }
}
