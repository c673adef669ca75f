package dev.plainsail.epp.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.epp.observability.Health;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The requirements that the Gateway API Inference Extension's endpoint picker protocol (004, version 1.0.0 with its later
 * changes) has for a picker, in its order. P1, P13 and P14 to P16 over a real connection: {@link ExtProcServerTest};
 * P4 to P6 with real endpoints: the router's tests.
 */
final class GaieRequirementsTest {
    private static final String HEADERS = "> request-headers duplex/duplex chat";

    private static List<String> talk(String router, String... steps) {
        return Script.play(router, 1 << 20, 1 << 24, List.of(steps));
    }

    @Test
    void p1TheServiceHasEnvoysName() {
        assertThat(ExtProcServer.EXT_PROC_SERVICE).isEqualTo("envoy.service.ext_proc.v3.ExternalProcessor");
    }

    @Test
    void p2RequestsAndResponsesAreStreamedInFullDuplex() {
        assertThat(talk(
                        "forward 10.0.0.1:8000",
                        HEADERS,
                        "> request-body '{\"model\":'",
                        "> request-body '\"m\"}'",
                        "> request-body end",
                        "> response-headers 200",
                        "> response-body a",
                        "> response-body end"))
                .containsSubsequence(
                        "< request-headers x-gateway-destination-endpoint=10.0.0.1:8000 metadata=10.0.0.1:8000 ticket=1",
                        "< request-body '{\"model\":\"m\"}' end",
                        "< response-headers x-plainsail-endpoint=10.0.0.1:8000",
                        "< response-body 'a'",
                        "< response-body '' end");
    }

    @Test
    void p3AndP4TheSubsetOfTheMetadataReachesTheChoice() {
        assertThat(talk("forward 10.0.0.1:8000", "> request-headers duplex/none end :path=/ subset=10.0.0.1:8000"))
                .contains("< route / model=null bytes=0 subset=[10.0.0.1:8000]");
    }

    @Test
    void p5AnEmptySubsetIsNotNoSubsetAndNothingFittingIs503() {
        assertThat(talk("reject SUBSET_WITHOUT_ENDPOINT", "> request-headers duplex/none end :path=/ subset="))
                .contains("< route / model=null bytes=0 subset=[]")
                .anySatisfy(line -> assertThat(line).startsWith("< immediate 503 "));
    }

    @Test
    void p6WithoutTheKeyThereIsNoLimit() {
        assertThat(talk("forward 10.0.0.1:8000", "> request-headers duplex/none end :path=/"))
                .contains("< route / model=null bytes=0");
    }

    @Test
    void p7AndP9HeaderAndMetadataCarryTheSameValueInEveryMode() {
        for (String mode : List.of("duplex", "buffered", "partial", "streamed", "none")) {
            List<String> talk = talk(
                    "forward 10.0.0.1:8000,[fd00::1]:8001".replace("[fd00::1]:8001", "fd00::1:8001"),
                    "> request-headers " + mode + "/none chat",
                    "> request-body '{\"model\":\"m\"}' end");
            String both = "10.0.0.1:8000,[fd00:0:0:0:0:0:0:1]:8001";
            assertThat(talk)
                    .as(mode)
                    .anySatisfy(line -> assertThat(line)
                            .contains("x-gateway-destination-endpoint=" + both + " ")
                            .contains("metadata=" + both + " "));
            assertThat(talk.stream().filter(line -> line.contains("metadata="))).hasSize(1);
        }
    }

    @Test
    void p8TheValueIsAListOfAddressesWithPorts() {
        assertThat(talk("forward 10.0.0.1:8000,10.0.0.2:8000", "> request-headers none/none end :path=/"))
                .anySatisfy(line ->
                        assertThat(line).contains("x-gateway-destination-endpoint=10.0.0.1:8000,10.0.0.2:8000 "));
    }

    @Test
    void p10NothingReadyIs503AndFullIs429() {
        assertThat(talk("reject NO_ENDPOINT after=5", "> request-headers none/none end :path=/"))
                .anySatisfy(line -> assertThat(line).startsWith("< immediate 503 "));
        assertThat(talk("reject SATURATED after=1", "> request-headers none/none end :path=/"))
                .anySatisfy(line -> assertThat(line).startsWith("< immediate 429 "));
    }

    @Test
    void p12TheEndpointThatServedIsTakenFromTheMetadataOfTheResponse() {
        assertThat(talk(
                        "forward 10.0.0.1:8000,10.0.0.2:8000",
                        HEADERS,
                        "> request-body '{\"model\":\"m\"}' end",
                        "> response-headers 200 end served=10.0.0.2:8000"))
                .contains("< outcome 1 status=200 by=10.0.0.2:8000 bytes=0");
    }

    @Test
    void p13ToP16HealthHasTheNamesOfTheDocument() {
        assertThat(Health.LIVENESS).isEqualTo("liveness");
        assertThat(Health.READINESS).contains("readiness", ExtProcServer.EXT_PROC_SERVICE);
        assertThat(new Health().isReady()).isFalse();
    }
}
