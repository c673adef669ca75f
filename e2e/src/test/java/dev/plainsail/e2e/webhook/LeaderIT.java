package dev.plainsail.e2e.webhook;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.cluster.SharedCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Several replicas, of which one writes: killed, stopped in order, suspended, robbed of its lease, and two that both lead. */
@ExtendWith(SharedCluster.class)
class LeaderIT {
    /** The promise is 15 s; the rest is for a loaded machine. */
    private static final Duration TAKEOVER = Duration.ofMinutes(2);

    private final LocalCluster cluster;

    LeaderIT(LocalCluster cluster) {
        this.cluster = cluster;
    }

    private WebhookProcess replica(String namespace, String lease) throws IOException {
        return WebhookProcess.start(cluster, "--namespace=" + namespace, "--lease=" + lease);
    }

    @Test
    void secondReplicaTakesOverAfterAKillAndAtOnceAfterAStop() throws Exception {
        ClaimPods pods = ClaimPods.in(cluster, "leaders");
        try (WebhookProcess first = replica("leaders", "leader-test").awaitServing();
                WebhookProcess second = replica("leaders", "leader-test").awaitServing()) {
            await().atMost(TAKEOVER).until(() -> first.log().contains("LeaderLease: leading"));
            assertThat(second.log()).doesNotContain("LeaderLease: leading");
            assertThat(serial(second)).as("one certificate for both").isEqualTo(serial(first));
            first.kill();
            pods.pod("killed", "absent.example.com x3");
            long start = System.nanoTime();
            await().atMost(TAKEOVER).until(() -> pods.isClaimed("killed"));
            System.out.printf("takeover after kill -9: %.1f s%n", (System.nanoTime() - start) / 1e9);
            try (WebhookProcess third = replica("leaders", "leader-test").awaitServing()) {
                second.stop();
                pods.pod("stopped", "absent.example.com x4");
                start = System.nanoTime();
                await().atMost(TAKEOVER).until(() -> pods.isClaimed("stopped"));
                System.out.printf("takeover after a stop: %.1f s%n", (System.nanoTime() - start) / 1e9);
                await().atMost(TAKEOVER).until(() -> third.log().contains("LeaderLease: leading"));
                assertThat(second.log()).doesNotContain("could not be given back");
            }
        } finally {
            cluster.kubectl().run("delete", "namespace", "leaders", "--wait=false");
        }
    }

    /** When it wakes up it believes that no time has passed; its own clock tells it otherwise before it writes. */
    @Test
    void suspendedLeaderDoesNotWriteWhenItWakesUp() throws Exception {
        ClaimPods pods = ClaimPods.in(cluster, "suspended");
        try (WebhookProcess first = replica("suspended", "suspended").awaitServing();
                WebhookProcess second = replica("suspended", "suspended").awaitServing()) {
            pods.pod("before", "absent.example.com x1");
            pods.awaitClaimed("before");
            first.suspend();
            try {
                pods.pod("meanwhile", "absent.example.com x2");
                await().atMost(TAKEOVER).until(() -> pods.isClaimed("meanwhile"));
            } finally {
                first.resume();
            }
            await().atMost(TAKEOVER).until(() -> first.log().contains("not leading any more"));
            pods.pod("after", "absent.example.com x3");
            pods.awaitClaimed("after");
            await("all to be said")
                    .atMost(TAKEOVER)
                    .until(() -> first.made("suspended") + second.made("suspended") >= 3);
            assertThat(first.made("suspended")).isEqualTo(1);
            assertThat(second.made("suspended")).isEqualTo(2);
            assertThat(second.log()).doesNotContain("not leading any more");
        } finally {
            cluster.kubectl().run("delete", "namespace", "suspended", "--wait=false");
        }
    }

    @Test
    void leaderWhoseLeaseSomebodyElseTookStopsWritingUntilItIsFree() throws Exception {
        ClaimPods pods = ClaimPods.in(cluster, "robbed");
        try (WebhookProcess webhook = replica("robbed", "robbed").awaitServing()) {
            pods.pod("before", "absent.example.com x1");
            pods.awaitClaimed("before");
            hold("somebody-else", 3600);
            await().atMost(TAKEOVER).until(() -> webhook.log().contains("not leading any more"));
            pods.pod("robbed", "absent.example.com x2");
            await().during(Duration.ofSeconds(4))
                    .atMost(TAKEOVER)
                    .until(() -> pods.templates().size() == 1);
            hold("", 1);
            pods.awaitClaimed("robbed");
            assertThat(pods.templates()).hasSize(2);
        } finally {
            cluster.kubectl().run("delete", "namespace", "robbed", "--wait=false");
        }
    }

    private void hold(String holder, int seconds) throws Exception {
        String patch = "{\"spec\":{\"holderIdentity\":\"%s\",\"leaseDurationSeconds\":%d}}".formatted(holder, seconds);
        cluster.kubectl().run("-n", "robbed", "patch", "lease", "robbed", "--type=merge", "-p", patch);
    }

    /** A wrong setting, or an older version beside a newer one: both lead, and meet at every template. */
    @Test
    void twoWritersMakeEachTemplateOnce() throws Exception {
        ClaimPods pods = ClaimPods.in(cluster, "compete");
        try (WebhookProcess one = replica("compete", "compete-one").awaitServing();
                WebhookProcess two = replica("compete", "compete-two").awaitServing()) {
            String[] names = new String[8];
            StringBuilder all = new StringBuilder();
            for (int count = 1; count <= names.length; count++) {
                names[count - 1] = "p-" + count;
                all.append("---\napiVersion: v1\nkind: Pod\n")
                        .append(ClaimPods.template("absent.example.com x" + count)
                                .replace("metadata: {", "metadata: {name: p-" + count + ", "));
            }
            pods.create(all.toString());
            pods.awaitClaimed(names);
            assertThat(pods.templates()).hasSize(names.length);
            await("both to have said what they made")
                    .atMost(TAKEOVER)
                    .until(() -> one.made("compete") + two.made("compete") >= names.length);
            assertThat(one.made("compete") + two.made("compete")).isEqualTo(names.length);
            for (WebhookProcess each : List.of(one, two)) {
                assertThat(each.log("compete"))
                        .doesNotContain("a template failed")
                        .doesNotContain("the API server refused");
            }
            assertThat(pods.events()).isEmpty();
        } finally {
            cluster.kubectl().run("delete", "namespace", "compete", "--wait=false");
        }
    }

    private static String serial(WebhookProcess replica) throws IOException {
        return replica.log()
                .lines()
                .filter(line -> line.contains("serving a certificate"))
                .findFirst()
                .orElseThrow()
                .replaceAll(".*serial=\"([0-9a-f]+)\".*", "$1");
    }
}
