package dev.plainsail.e2e.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.dra.cel.Checked;
import dev.plainsail.dra.cel.DeviceExpressions;
import dev.plainsail.e2e.cluster.SharedCluster;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Locale;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Our reading of conditions beside the API server's: it compiles and costs each in a claim template that is created with dry
 * run. What we refuse it must refuse, and what it refuses we must not call usable; what it runs on a device is the
 * scheduler's business and not seen here.
 */
@ExtendWith(SharedCluster.class)
class ConditionsIT {
    private static final String PATH = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates?dryRun=All";
    private static final String D = "device.attributes['dra.example.com']";

    private static final DeviceExpressions EXPRESSIONS = new DeviceExpressions();

    private final KubernetesClient client;

    ConditionsIT(KubernetesClient client) {
        this.client = client;
    }

    /** Ours, the API server's, the condition with {@code D} for the attributes of a domain. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    usable | accepted | true
                    wrong | syntax error | ?!
                    wrong | must evaluate to bool | 1
                    usable | accepted | device.attributes['no-such-domain'].noSuchAttr.isGreaterThan(quantity('0'))
                    usable | accepted | 'no-such-domain' in device.attributes
                    usable | accepted | device.driver == 'dra.example.com'
                    usable | accepted | D.name
                    usable | accepted | cel.bind(dra, D, dra.name)
                    usable | accepted | D.name > 0
                    usable | accepted | D.name == 'fish'
                    unsure | cannot be range | D.name.exists(x, x > 0)
                    usable | accepted | dyn(D.name).exists(x, x > 0)
                    usable | accepted | D.names
                    usable | accepted | D.name.isGreaterThan(semver('0.0.1'))
                    usable | accepted | D.name.isGreaterThan(semver('v0.0.1', true)) && isSemver('v1.0.0', true)
                    usable | accepted | 'name' in device.capacity['dra.example.com']
                    usable | accepted | D.services.split('example').size() >= 2
                    usable | accepted | D.services.matches('[^a]?sym')
                    usable | accepted | device.allowMultipleAllocations == false
                    wrong | undeclared reference | devices.driver == 'x'
                    unsure | undefined field | device.drivers == 'x'
                    unsure | undeclared reference | D.attr.includesAll('fish')
                    unsure | no matching overload | device.capacity['a.example'].memory >= quantity('40Gi')
                    unsure | cost | TENS.all(a, TENS.all(b, TENS.all(c, TENS.all(d, TENS.all(e, TENS.all(f, TENS.all(g, true)))))))
                    """)
    void readingIsTheApiServers(String ours, String theirs, String condition) {
        String expression = condition
                .replace("D.", D + ".")
                .replace(" D,", " " + D + ",")
                .replace("TENS", "[1,2,3,4,5,6,7,8,9,10]");
        assertThat(kind(EXPRESSIONS.check(expression))).as(expression).isEqualTo(ours);
        assertThat(asked(expression)).as(expression).contains(theirs);
    }

    private static String kind(Checked checked) {
        return switch (checked) {
            case Checked.Usable usable -> "usable";
            case Checked.Untried untried -> "untried";
            case Checked.Unsure unsure -> "unsure";
            case Checked.Wrong wrong -> "wrong";
        };
    }

    private String asked(String expression) {
        ObjectNode template = JsonNodeFactory.instance.objectNode();
        template.put("apiVersion", "resource.k8s.io/v1").put("kind", "ResourceClaimTemplate");
        template.putObject("metadata").put("name", "condition");
        ObjectNode request = template.putObject("spec")
                .putObject("spec")
                .putObject("devices")
                .putArray("requests")
                .addObject();
        ObjectNode exactly = request.put("name", "gpu").putObject("exactly");
        exactly.put("deviceClassName", "gpu.example.com");
        exactly.putArray("selectors").addObject().putObject("cel").put("expression", expression);
        try {
            client.raw(PATH, "POST", template.toString());
            return "accepted";
        } catch (KubernetesClientException e) {
            return String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
        }
    }
}
