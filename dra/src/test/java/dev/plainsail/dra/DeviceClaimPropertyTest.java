package dev.plainsail.dra;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Random texts: never an exception, and what is accepted reads back from its canonical form, however it was written. */
class DeviceClaimPropertyTest {

    private static final List<String> PIECES = List.of(
            "gpu.nvidia.com",
            "a",
            "b=c",
            " ",
            ",",
            ", ",
            "x2",
            " x4",
            " all",
            " where ",
            "where",
            "device.x == 1",
            "f(a, b)",
            "'a,b'",
            "\"",
            "'''",
            "(",
            ")",
            "[",
            "]",
            "//",
            "\n",
            "requests:",
            "\n- ",
            "{",
            "}",
            "name: g",
            "exactly: {deviceClassName: a}",
            "&x",
            "*x",
            ": ",
            "#",
            "---",
            "\t",
            "x0",
            "X1",
            "é",
            "\u0000",
            "\\");

    @Test
    void noTextIsTooOdd() {
        SplittableRandom random = new SplittableRandom(42);
        int accepted = 0;
        for (int i = 0; i < 30_000; i++) {
            StringBuilder text = new StringBuilder();
            int length = random.nextInt(1, 9);
            for (int j = 0; j < length; j++) {
                text.append(PIECES.get(random.nextInt(PIECES.size())));
            }
            switch (DeviceClaimText.parse(text.toString())) {
                case ParsedClaim.Accepted(DeviceClaim claim, boolean ignored) -> {
                    accepted++;
                    assertThat(DeviceClaimText.parseCanonical(claim.canonical()))
                            .as(text.toString())
                            .isEqualTo(new ParsedClaim.Accepted(claim, false));
                    assertThat(DeviceClaimText.parse(claim.canonical()))
                            .isEqualTo(new ParsedClaim.Accepted(claim, false));
                    assertThat(DnsNames.isLabel(claim.templateName()))
                            .as(claim.templateName())
                            .isTrue();
                }
                case ParsedClaim.Refused(List<ClaimProblem> problems) ->
                    assertThat(problems)
                            .as(text.toString())
                            .isNotEmpty()
                            .allSatisfy(problem -> assertThat(problem.detail()).isNotBlank());
            }
        }
        assertThat(accepted).isGreaterThan(500);
    }

    @Test
    void slicesAreReadAsTheSchedulerReadsThem() {
        assertThat(Slices.devices(
                        List.of(slice("s1", 1, 1, "old"), slice("s2", 2, 2, "first"), slice("s3", 2, 2, "second"))))
                .extracting(Device::name)
                .containsExactly("first", "second");
        assertThat(Slices.devices(List.of(slice("s2", 2, 2, "alone"))))
                .as("incomplete pool")
                .isEmpty();
        assertThat(Slices.devices(List.of(ClaimJson.MAPPER.readTree("{}")))).isEmpty();
    }

    private static JsonNode slice(String name, int generation, int count, String device) {
        return ClaimJson.MAPPER.readTree(
                "{\"metadata\":{\"name\":\"" + name
                        + "\"},\"spec\":{\"driver\":\"d\",\"nodeName\":\"n\",\"pool\":{\"name\":\"p\",\"generation\":"
                        + generation + ",\"resourceSliceCount\":" + count + "},\"devices\":[{\"name\":\"" + device
                        + "\",\"attributes\":{\"a\":{\"int\":1},\"b\":{\"strings\":[\"x\"]}},\"capacity\":{\"m\":{\"value\":\"1Gi\"}}}]}}");
    }
}
