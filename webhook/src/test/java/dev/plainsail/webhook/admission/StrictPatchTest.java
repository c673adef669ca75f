package dev.plainsail.webhook.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * What applies our patches in tests is as strict as the API server: a patch that it takes is one that fits. A lenient one
 * would hide operations on parents that are not there.
 */
class StrictPatchTest {

    private static final String POD = """
            {"metadata":{"labels":null},"spec":{"containers":[{"name":"a","args":["x"]}]}}""";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"op\":\"add\",\"path\":\"/metadata/annotations/a\",\"value\":\"b\"}",
                "{\"op\":\"add\",\"path\":\"/metadata/labels/a\",\"value\":\"b\"}",
                "{\"op\":\"add\",\"path\":\"/status/a/b\",\"value\":1}",
                "{\"op\":\"add\",\"path\":\"/spec/containers/1/args\",\"value\":[]}",
                "{\"op\":\"add\",\"path\":\"/spec/containers/2\",\"value\":{}}",
                "{\"op\":\"add\",\"path\":\"/spec/containers/0/args/2\",\"value\":\"y\"}",
                "{\"op\":\"add\",\"path\":\"/spec/containers/0/env/-\",\"value\":{}}",
                "{\"op\":\"add\",\"path\":\"/spec/containers/0/name/x\",\"value\":1}",
                "{\"op\":\"replace\",\"path\":\"/metadata/annotations\",\"value\":{}}",
                "{\"op\":\"replace\",\"path\":\"/spec/containers/0/args/1\",\"value\":\"y\"}",
                "{\"op\":\"replace\",\"path\":\"/spec/containers/0/args/-\",\"value\":\"y\"}",
                "{\"op\":\"remove\",\"path\":\"/metadata/annotations\"}",
                "{\"op\":\"remove\",\"path\":\"/spec/containers/0/args/1\"}",
                "{\"op\":\"test\",\"path\":\"/spec/containers/0/name\",\"value\":\"b\"}",
                "{\"op\":\"merge\",\"path\":\"/spec\",\"value\":{}}"
            })
    void operationsThatDoNotFitFail(String operation) {
        JsonNode patch = Reviews.JSON.readTree("[" + operation + "]");
        assertThatThrownBy(() -> StrictPatch.apply(patch, Reviews.JSON.readTree(POD)))
                .isInstanceOf(RuntimeException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"op\":\"add\",\"path\":\"/metadata/annotations\",\"value\":{\"a\":\"b\"}}",
                "{\"op\":\"add\",\"path\":\"/spec/containers/0/args/-\",\"value\":\"y\"}",
                "{\"op\":\"add\",\"path\":\"/spec/containers/0/args/1\",\"value\":\"y\"}",
                "{\"op\":\"replace\",\"path\":\"/metadata/labels\",\"value\":{}}",
                "{\"op\":\"remove\",\"path\":\"/spec/containers/0/args\"}"
            })
    void operationsThatFitChangeTheObject(String operation) {
        JsonNode before = Reviews.JSON.readTree(POD);
        assertThat(StrictPatch.apply(Reviews.JSON.readTree("[" + operation + "]"), before))
                .isNotEqualTo(Reviews.JSON.readTree(POD));
    }
}
