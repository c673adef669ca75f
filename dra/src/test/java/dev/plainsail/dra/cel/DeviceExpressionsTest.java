package dev.plainsail.dra.cel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.dra.Device;
import dev.plainsail.dra.Device.Value;
import dev.plainsail.dra.Quantity;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The behaviour of upstream's own compile tests, row by row, in which D is the attributes of the device's own driver. */
class DeviceExpressionsTest {

    private static final DeviceExpressions EXPRESSIONS = new DeviceExpressions();
    private static final String D = "device.attributes[\"dra.example.com\"]";
    private static final String C = "device.capacity[\"dra.example.com\"]";

    private static Device device(Map<String, Value> attributes, Map<String, String> capacity) {
        Map<String, Quantity> quantities = new java.util.HashMap<>();
        capacity.forEach(
                (name, text) -> quantities.put(name, Quantity.parse(text).orElseThrow()));
        return new Device("dra.example.com", "pool", "dev", Optional.empty(), attributes, quantities, false);
    }

    private static Device with(String name, Value value) {
        return device(Map.of(name, value), Map.of());
    }

    private static final Device EMPTY = device(Map.of(), Map.of());

    static Stream<Arguments> rows() {
        Value text = new Value.Text("fish");
        Value version = new Value.Version("1.0.0");
        Value services = new Value.Text("some_example_text.sym");
        String guarded = "\"name\" in " + C + " && " + C + ".name.isGreaterThan(quantity(\"1Ki\"))";
        return Stream.of(
                Arguments.of("true", EMPTY, "match"),
                Arguments.of("?!", EMPTY, "wrong: in the condition at column 1: syntax error: .*"),
                Arguments.of("1", EMPTY, "wrong: gives int, but a condition gives true or false"),
                Arguments.of(
                        "device.attributes[\"no-such-domain\"].noSuchAttr.isGreaterThan(quantity(\"0\"))",
                        EMPTY,
                        "failed: no such key: noSuchAttr"),
                Arguments.of("\"no-such-domain\" in device.attributes", EMPTY, "no match"),
                Arguments.of("device.driver == \"dra.example.com\"", EMPTY, "match"),
                Arguments.of(D + ".name", with("name", new Value.Flag(true)), "match"),
                Arguments.of(D + ".name", with("dra.example.com/name", new Value.Flag(true)), "match"),
                Arguments.of("cel.bind(dra, " + D + ", dra.name)", with("name", new Value.Flag(true)), "match"),
                Arguments.of(D + ".name > 0", with("name", new Value.Whole(1)), "match"),
                Arguments.of(D + ".name == \"fish\"", with("name", text), "match"),
                Arguments.of(
                        D + ".name.exists(x, x > 0)",
                        with("name", new Value.Whole(1)),
                        "unsure: loops over an attribute, .*"),
                Arguments.of("dyn(" + D + ".name).exists(x, x > 0)", with("name", new Value.Whole(1)), "failed: .*"),
                Arguments.of(
                        D + ".names",
                        with("names", new Value.Many(List.of(text))),
                        "failed: CEL result of type list could not be converted to bool"),
                Arguments.of(D + ".attr.includes(\"fish\")", EMPTY, "unsure: the function includes is not known here"),
                Arguments.of(D + ".name.isGreaterThan(semver(\"0.0.1\"))", with("name", version), "match"),
                Arguments.of(
                        D + ".name.isGreaterThan(semver(\"v0.0.1\", true)) && isSemver(\"v1.0.0\", true)",
                        with("name", version),
                        "match"),
                Arguments.of(guarded, device(Map.of(), Map.of("name", "1Mi")), "match"),
                Arguments.of(guarded, EMPTY, "no match"),
                Arguments.of(
                        "!(\"name\" in " + C + ") || " + C + ".name.isLessThan(quantity(\"1Ki\"))", EMPTY, "match"),
                Arguments.of(D + ".services.split(\"example\").size() >= 2", with("services", services), "match"),
                Arguments.of(D + ".services.matches(\"[^a]?sym\")", with("services", services), "match"),
                Arguments.of(
                        "[1].all(a, [1].all(b, [1].all(c, [1].all(d, [1].all(e, [1].all(f, [1].all(g, true)))))))",
                        EMPTY,
                        "unsure: has many loops, which may cost more than the API server allows"),
                Arguments.of("device.allowMultipleAllocations == false", EMPTY, "match"),
                // what users write wrongly
                Arguments.of(D + ".missing == \"x\"", EMPTY, "failed: no such key: missing"),
                Arguments.of(D + ".?missing.orValue(\"\") == \"x\"", EMPTY, "no match"),
                Arguments.of("has(" + D + ".missing) && " + D + ".missing == \"x\"", EMPTY, "no match"),
                Arguments.of(
                        "devices.driver == \"x\"",
                        EMPTY,
                        "wrong: in the condition at column 1: there is no variable devices, only device"),
                Arguments.of("device.drivers == \"x\"", EMPTY, "unsure: .*undefined field.*"),
                Arguments.of(
                        C + ".memory >= quantity(\"40Gi\")",
                        EMPTY,
                        "unsure: .*quantities have no operator >=; write a.compareTo\\(b\\) >= 0, or isGreaterThan, isLessThan"),
                Arguments.of(
                        C + ".memory.compareTo(quantity(\"40Gi\")) >= 0",
                        device(Map.of(), Map.of("memory", "40Gi")),
                        "match"),
                Arguments.of(
                        D + ".v.isGreaterThan(semver(\"550.54\"))",
                        with("v", version),
                        "failed: .*'550.54' is no semantic version.*"),
                Arguments.of("semver(\"580.65.06\", true).patch() == 6", EMPTY, "match"),
                Arguments.of(
                        D + ".name.lowerAscii().matches(\"^.*fish.*$\")",
                        with("name", new Value.Text("A FISH")),
                        "match"),
                Arguments.of(
                        "true",
                        with("v", new Value.Version("not one")),
                        "failed: attribute v: not one is no semantic version"),
                Arguments.of("quantity(\"1Gi\").add(quantity(\"1Gi\")).asInteger() == 2147483648", EMPTY, "match"),
                Arguments.of("quantity(\"1500m\").isInteger() || quantity(\"-1\").sign() == -1", EMPTY, "match"),
                Arguments.of("", EMPTY, "wrong: .*"));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void behavesAsKubernetes(String expression, Device device, String outcome) {
        assertThat(told(EXPRESSIONS.check(expression), device)).as(expression).matches(outcome);
    }

    private static String told(Checked checked, Device device) {
        return switch (checked) {
            case Checked.Wrong(String message) -> "wrong: " + message;
            case Checked.Unsure(String message) -> "unsure: " + message;
            case Checked.Untried untried -> "untried";
            case Checked.Usable(DeviceExpression expression) ->
                switch (expression.evaluate(device)) {
                    case Outcome.Match match -> "match";
                    case Outcome.NoMatch noMatch -> "no match";
                    case Outcome.Failed(String message) -> "failed: " + message;
                };
        };
    }

    /** Each would take gigabytes. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "lists.range(2000000000).size() > 1",
                "cel.bind(a, device.driver + device.driver, cel.bind(b, a + a + a + a, b + b != ''))",
                "'aaaa'.replace('', 'bbbb').replace('', 'cccc') != ''",
                "[1, 2].map(x, [1, 2].map(y, 'long')).size() == 2",
                "['a', 'b'].join('long') != ''",
            })
    void whatMayGrowIsNotEvaluated(String expression) {
        assertThat(EXPRESSIONS.check(expression)).isEqualTo(new Checked.Untried());
    }

    @Test
    void tooLongIsWrong() {
        assertThat(EXPRESSIONS.check("true" + " ".repeat(10 * 1024)))
                .isEqualTo(new Checked.Wrong("is longer than 10 KiB"));
    }

    @Test
    void versionsAreOrderedAsTheSpecificationSays() {
        List<String> ascending = List.of(
                "1.0.0-alpha",
                "1.0.0-alpha.1",
                "1.0.0-alpha.beta",
                "1.0.0-beta",
                "1.0.0-beta.2",
                "1.0.0-beta.11",
                "1.0.0-rc.1",
                "1.0.0",
                "1.0.1",
                "1.1.0",
                "2.0.0");
        for (int i = 1; i < ascending.size(); i++) {
            Semver smaller = Semver.parse(ascending.get(i - 1)).orElseThrow();
            Semver greater = Semver.parse(ascending.get(i)).orElseThrow();
            assertThat(smaller).isLessThan(greater);
        }
        assertThat(Semver.parse("01.0.0")).isEmpty();
        assertThat(Semver.parse("1.0")).isEmpty();
        assertThat(Semver.parseLenient("v580.65.06")).isEqualTo(Semver.parse("580.65.6"));
        assertThat(Semver.parseLenient("1.2.3.4")).isEmpty();
    }
}
