package dev.plainsail.e2e.node;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.cluster.SharedCluster;
import dev.plainsail.e2e.cluster.TestSpace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SharedCluster.class)
final class LogsIT {

    @Test
    void kubectlShowsFollowsAndRemembersLogs(TestSpace space) {
        space.apply("""
                apiVersion: v1
                kind: Pod
                metadata: {name: speaker}
                spec:
                  terminationGracePeriodSeconds: 1
                  restartPolicy: Never
                  containers: [{name: main, image: busybox, command: [sh, -c, "echo one; echo two; sleep 3; echo three"]}]
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: crasher}
                spec:
                  terminationGracePeriodSeconds: 1
                  containers: [{name: main, image: busybox, command: [sh, -c, "echo run; exit 1"]}]
                """);
        space.awaitPod("speaker", p -> TestSpace.only(p).getState().getWaiting() == null);
        String namespace = space.namespace();
        await().atMost(TestSpace.PATIENCE)
                .until(() -> space.kubectl("logs", "speaker", "-n", namespace).startsWith("one\ntwo\n"));
        assertThat(space.kubectl("logs", "speaker", "-n", namespace, "--follow"))
                .as("follows to the end of the run")
                .isEqualTo("one\ntwo\nthree\n");
        assertThat(space.kubectl("logs", "speaker", "-n", namespace, "--tail=1"))
                .isEqualTo("three\n");
        space.awaitPod("crasher", p -> TestSpace.only(p).getRestartCount() >= 1);
        assertThat(space.kubectl("logs", "crasher", "-n", namespace, "--previous"))
                .isEqualTo("run\n");
    }
}
