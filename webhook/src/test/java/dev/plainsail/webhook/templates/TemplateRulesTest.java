package dev.plainsail.webhook.templates;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.dra.DeviceClaim;
import dev.plainsail.dra.DeviceClaimText;
import dev.plainsail.dra.ParsedClaim;
import dev.plainsail.webhook.cluster.ClaimPod;
import dev.plainsail.webhook.cluster.TemplateKey;
import dev.plainsail.webhook.cluster.TemplateView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TemplateRulesTest {
    private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
    private static final DeviceClaim CLAIM = claim("gpu.nvidia.com x2");
    private static final TemplateKey KEY = new TemplateKey("team", CLAIM.templateName());
    private final TemplateRules rules = new TemplateRules(Duration.ofHours(24));

    private static DeviceClaim claim(String text) {
        return ((ParsedClaim.Accepted) DeviceClaimText.parse(text)).claim();
    }

    private static ClaimPod pod(String name) {
        return new ClaimPod(
                KEY, name, "uid-" + name, T0, Optional.of(CLAIM.canonical()), false, false, false, Optional.empty());
    }

    private static ClaimPod claimed(ClaimPod pod) {
        return new ClaimPod(
                pod.template(), pod.name(), pod.uid(), pod.created(), pod.claimSpec(), true, false, false, pod.owner());
    }

    private static ClaimPod finished(ClaimPod pod) {
        return new ClaimPod(
                pod.template(), pod.name(), pod.uid(), pod.created(), pod.claimSpec(), true, true, false, pod.owner());
    }

    private static ClaimPod told(ClaimPod pod) {
        return new ClaimPod(
                pod.template(), pod.name(), pod.uid(), pod.created(), pod.claimSpec(), false, false, true, pod.owner());
    }

    private static ClaimPod saying(ClaimPod pod, Optional<String> spec) {
        return new ClaimPod(
                pod.template(), pod.name(), pod.uid(), pod.created(), spec, false, false, false, pod.owner());
    }

    private static TemplateView template(Instant created, Optional<Instant> unusedSince) {
        return new TemplateView(KEY, "u", "1", created, true, true, unusedSince);
    }

    private List<Action> decide(List<ClaimPod> pods, Optional<TemplateView> template, Instant now) {
        return rules.decide(KEY, pods, template, now);
    }

    @Test
    void missingTemplateIsMadeOnceForAllItsPods() {
        assertThat(decide(List.of(pod("a"), pod("b")), Optional.empty(), T0))
                .containsExactly(new Action.Create(CLAIM, pod("a")));
    }

    @Test
    void finishedPodsNeedNoTemplate() {
        assertThat(decide(List.of(finished(pod("a"))), Optional.empty(), T0)).isEmpty();
    }

    @Test
    void waitingPodsAreToldAfterTheClusterHadItsChance() {
        List<ClaimPod> pods = List.of(pod("a"), claimed(pod("b")), told(pod("c")));
        Optional<TemplateView> template = Optional.of(template(T0.plusSeconds(3), Optional.empty()));
        assertThat(decide(pods, template, T0.plusMillis(3500)))
                .containsExactly(new Action.LookAgain(T0.plusSeconds(4)));
        assertThat(decide(pods, template, T0.plusSeconds(4))).containsExactly(new Action.Tell(pod("a")));
    }

    @Test
    void podsYoungerThanTheTemplateAreLeftAlone() {
        assertThat(decide(List.of(pod("a")), Optional.of(template(T0.minusSeconds(60), Optional.empty())), T0))
                .isEmpty();
    }

    @Test
    void claimThatIsNotTheLabelsIsNeverMade() {
        ClaimPod lying =
                saying(pod("liar"), Optional.of(claim("gpu.nvidia.com x8").canonical()));
        List<Action> actions = decide(List.of(lying), Optional.empty(), T0);
        assertThat(actions).singleElement().isInstanceOfSatisfying(Action.Warn.class, warn -> {
            assertThat(warn.warning()).isEqualTo(Action.Warning.CLAIM_SPEC_REFUSED);
            assertThat(warn.note()).contains("label plainsail.dev/claim-template says " + KEY.name());
        });
        assertThat(decide(List.of(lying, pod("honest")), Optional.empty(), T0))
                .hasSize(2)
                .first()
                .isEqualTo(new Action.Create(CLAIM, pod("honest")));
    }

    @Test
    void podWithoutOrWithBrokenClaimIsTold() {
        for (Optional<String> spec : List.of(
                Optional.<String>empty(), Optional.of(""), Optional.of("{"), Optional.of("gpu.nvidia.com x2"))) {
            assertThat(decide(List.of(saying(pod("a"), spec)), Optional.empty(), T0))
                    .singleElement()
                    .isInstanceOf(Action.Warn.class);
        }
    }

    @Test
    void foreignContentUnderOurNameIsLeftAlone() {
        TemplateView foreign = new TemplateView(KEY, "u", "1", T0, false, false, Optional.empty());
        assertThat(decide(List.of(pod("a"), claimed(pod("b"))), Optional.of(foreign), T0.plusSeconds(60)))
                .singleElement()
                .isInstanceOfSatisfying(
                        Action.Warn.class,
                        warn -> assertThat(warn.note()).contains("left alone").contains("Delete it"));
        assertThat(decide(List.of(), Optional.of(foreign), T0)).isEmpty();
        TemplateView labelled = new TemplateView(KEY, "u", "1", T0, true, false, Optional.of(T0));
        assertThat(decide(List.of(), Optional.of(labelled), T0.plus(Duration.ofDays(9))))
                .isEmpty();
    }

    @Test
    void sameContentFromSomebodyElseServes() {
        TemplateView other = new TemplateView(KEY, "u", "1", T0, false, true, Optional.of(T0));
        assertThat(decide(List.of(claimed(pod("a"))), Optional.of(other), T0.plusSeconds(60)))
                .isEmpty();
    }

    @Test
    void unusedTemplateIsMarkedKeptForADayAndDeleted() {
        TemplateView fresh = template(T0, Optional.empty());
        assertThat(decide(List.of(), Optional.of(fresh), T0)).containsExactly(new Action.Mark(Optional.of(T0)));
        TemplateView marked = template(T0, Optional.of(T0));
        assertThat(decide(List.of(), Optional.of(marked), T0.plus(Duration.ofHours(23))))
                .containsExactly(new Action.LookAgain(T0.plus(Duration.ofHours(24))));
        assertThat(decide(List.of(finished(pod("a"))), Optional.of(marked), T0.plus(Duration.ofHours(24))))
                .containsExactly(new Action.Delete(marked));
    }

    @Test
    void useTakesTheMarkAway() {
        assertThat(decide(
                        List.of(claimed(pod("a"))),
                        Optional.of(template(T0, Optional.of(T0))),
                        T0.plus(Duration.ofHours(30))))
                .containsExactly(new Action.Mark(Optional.empty()));
    }

    /** A clock that went back: a mark from the future would keep the template for ever. */
    @Test
    void markFromTheFutureIsWrittenAnew() {
        assertThat(decide(List.of(), Optional.of(template(T0, Optional.of(T0.plus(Duration.ofDays(900))))), T0))
                .containsExactly(new Action.Mark(Optional.of(T0)));
    }
}
