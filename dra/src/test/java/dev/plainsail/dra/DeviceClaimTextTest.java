package dev.plainsail.dra;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceClaimTextTest {

    static DeviceClaim accepted(String text) {
        ParsedClaim parsed = DeviceClaimText.parse(text);
        assertThat(parsed).as(text).isInstanceOf(ParsedClaim.Accepted.class);
        return ((ParsedClaim.Accepted) parsed).claim();
    }

    static List<String> refused(String text) {
        ParsedClaim parsed = DeviceClaimText.parse(text);
        assertThat(parsed).as(text).isInstanceOf(ParsedClaim.Refused.class);
        return ((ParsedClaim.Refused) parsed)
                .problems().stream()
                        .map(problem -> (problem.path().isEmpty() ? "" : problem.path() + ": ")
                                + (problem.badValue().isEmpty() ? "" : "'" + problem.badValue() + "' ")
                                + problem.detail())
                        .toList();
    }

    @Test
    void aClassAloneIsOneDevice() {
        assertThat(accepted("gpu.nvidia.com"))
                .isEqualTo(
                        DeviceClaim.of(new DeviceRequest.Exactly("device", DeviceSelection.of("gpu.nvidia.com", 1))));
    }

    @Test
    void everythingAtOnce() {
        DeviceClaim claim = accepted(
                "gpu=gpu.nvidia.com x2 where device.capacity[\"gpu.nvidia.com\"].memory.isGreaterThan(quantity(\"40Gi\")), nic.example.com all");
        assertThat(claim.canonical())
                .isEqualTo(
                        "{\"requests\":[{\"exactly\":{\"allocationMode\":\"ExactCount\",\"count\":2,\"deviceClassName\":\"gpu.nvidia.com\",\"selectors\":[{\"cel\":{\"expression\":\"device.capacity[\\\"gpu.nvidia.com\\\"].memory.isGreaterThan(quantity(\\\"40Gi\\\"))\"}}]},\"name\":\"gpu\"},{\"exactly\":{\"allocationMode\":\"All\",\"deviceClassName\":\"nic.example.com\"},\"name\":\"device-2\"}]}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "c where 'a,b' == x",
                "c where \"a,b\" == x",
                "c where r'a\\' == x",
                "c where R\"a\\\" == x",
                "c where rb'a\\' == x",
                "c where b'a\\',b' == x",
                "c where '''a,'b''c''' == x",
                "c where \"\"\"a,\"b\n,\"\"\" == x",
                "c where f(a, b)",
                "c where [1, 2] == {a: 1, b: 2}",
                "c where x == 'where , //'",
                "c where device.where == 1",
                "c where elsewhere",
                "c where a\n  && b",
                "c where a / b > 1"
            })
    void commasInsideBracketsAndStringsBelongToTheExpression(String text) {
        assertThat(accepted(text).requests()).hasSize(1);
        assertThat(accepted(text + ", d").requests()).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "c X4 | `'X4' column 3: write the count as x4: a small x, no space, no other sign`",
                "c 4x | `'4x' column 3: write the count as x4: a small x, no space, no other sign`",
                "c x 4 | `'x' column 3: write the count as x4: a small x, no space, no other sign`",
                "c *4 | `'*4' column 3: write the count as x4: a small x, no space, no other sign`",
                "c 4 | `'4' column 3: write the count as x4: a small x, no space, no other sign`",
                "c x0 | `'x0' column 3: the count is a number from x1 to x32, without leading zero`",
                "c x04 | `'x04' column 3: the count is a number from x1 to x32, without leading zero`",
                "c x33 | `'x33' column 3: the count is a number from x1 to x32, without leading zero`",
                "c x99999999999 | `'x99999999999' column 3: the count is a number from x1 to x32, without leading zero`",
                "c where a where b | `column 11: a second 'where'; join conditions with &&`",
                "c where a // b | `column 11: comments are not allowed here; remove the text from '//' on`",
                "c where (a | `column 9: the bracket '(' is never closed`",
                "c where a) | `column 10: ')' closes no bracket`",
                "c where (a] | `column 11: ']' cannot close '('`",
                "c where 'a | `column 9: the string that begins here is never closed`",
                "c where | `'where' column 3: nothing follows 'where'; write a CEL condition or leave it out`",
                "c, | `column 3: a request is missing here; each is a device class, as in gpu.nvidia.com x2`",
                "c,,d | `column 3: a request is missing here; each is a device class, as in gpu.nvidia.com x2`",
                "C | `'C' column 1: is no device class name: use lower case letters, digits, '-' and '.', as in gpu.nvidia.com (see: kubectl get deviceclasses)`",
                "a_b=c | `'a_b' column 1: is no request name: use lower case letters, digits and '-', at most 63`",
                "g= | `column 3: the device class is missing after '='; write it there, as in gpu=gpu.nvidia.com`",
                "x4 | `is accepted`",
                "4x gpu.nvidia.com | `'gpu.nvidia.com' column 4: is not understood here; after the class may come xN or all, then 'where' and a CEL condition; requests are separated by commas`",
                "c x2 all | `'all' column 6: write a count or all, not both`",
                "a=c, a=d | `'a' column 6: is the name of two requests; give each its own, as in gpu=CLASS`",
                "c device.driver==1 | `'device.driver==1' column 3: put 'where' before the CEL condition`",
                "c x20, d x20 | `asks for 40 devices in all; one claim holds at most 32, so ask for fewer or spread the model over several pods`"
            })
    void mistakesAreShownWithTheirColumn(String text, String problem) {
        if (problem.equals("is accepted")) {
            accepted(text);
            return;
        }
        assertThat(refused(text)).containsExactly(problem);
    }

    @Test
    void allMistakesAtOnceWithLineAndColumn() {
        assertThat(refused("C x0,\nd 4x"))
                .containsExactly(
                        "'x0' line 1, column 3: the count is a number from x1 to x32, without leading zero",
                        "'C' line 1, column 1: is no device class name: use lower case letters, digits, '-' and '.', as in gpu.nvidia.com (see: kubectl get deviceclasses)",
                        "'4x' line 2, column 3: write the count as x4: a small x, no space, no other sign");
        assertThat(refused("  ")).containsExactly("column 3: is empty; write a device class, as in gpu.nvidia.com x2");
    }

    @Test
    void theCanonicalFormReadsBack() {
        DeviceClaim claim = accepted("gpu=gpu.nvidia.com x2 where device.driver == \"x\"");
        assertThat(DeviceClaimText.parseCanonical(claim.canonical())).isEqualTo(new ParsedClaim.Accepted(claim, false));
        assertThat(DeviceClaimText.parseCanonical(claim.canonical() + " ")).isInstanceOf(ParsedClaim.Refused.class);
        assertThat(DeviceClaimText.parseCanonical("{")).isInstanceOf(ParsedClaim.Refused.class);
        assertThat(DeviceClaimText.parseCanonical("[]")).isInstanceOf(ParsedClaim.Refused.class);
    }

    @Test
    void equalClaimsShareOneNameThatIsALabelValue() {
        String yaml = "requests:\n- name: device\n  exactly:\n    deviceClassName: gpu.nvidia.com\n    count: 2\n";
        assertThat(accepted(yaml).templateName())
                .isEqualTo(accepted("gpu.nvidia.com x2").templateName())
                .matches("plainsail-gpu-nvidia-com-[a-z2-7]{12}");
        String longName = accepted(
                        "a-very-long-class-name.of-some-driver-.".replace("-.", "") + ".with-a-long-domain.example.com")
                .templateName();
        assertThat(longName).hasSizeLessThanOrEqualTo(63);
        assertThat(DnsNames.isLabel(longName)).isTrue();
    }
}
