package dev.plainsail.webhook.cluster;

import static dev.plainsail.webhook.cluster.EventBudget.Answer.LATER;
import static dev.plainsail.webhook.cluster.EventBudget.Answer.SAID_ALREADY;
import static dev.plainsail.webhook.cluster.EventBudget.Answer.SAY;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EventBudgetTest {
    private static final long SECOND = 1_000_000_000L;
    private final EventBudget budget = new EventBudget(0);

    @Test
    void sameWordsAboutTheSameObjectAreSaidOnceAnHour() {
        assertThat(budget.ask("a", "no", 0)).isEqualTo(SAY);
        assertThat(budget.ask("a", "no", SECOND)).isEqualTo(SAID_ALREADY);
        assertThat(budget.ask("a", "other", SECOND)).isEqualTo(SAY);
        assertThat(budget.ask("b", "no", SECOND)).isEqualTo(SAY);
        assertThat(budget.ask("a", "no", 3600 * SECOND)).isEqualTo(SAY);
    }

    @Test
    void tenThousandPodsAreToldAFewEachSecondAndNoneIsForgotten() {
        int said = 0;
        for (int second = 0; said < 10_000; second++) {
            int before = said;
            for (int pod = 0; pod < 10_000; pod++) {
                if (budget.ask("pod-" + pod, "no", second * SECOND) == SAY) {
                    said++;
                }
            }
            assertThat(said - before).isEqualTo(second == 0 ? EventBudget.BURST : EventBudget.PER_SECOND);
        }
        assertThat(budget.ask("pod-1", "no", 996 * SECOND)).isEqualTo(SAID_ALREADY);
    }

    @Test
    void whatIsPutOffIsSaidLater() {
        for (int pod = 0; pod < EventBudget.BURST; pod++) {
            budget.ask("pod-" + pod, "no", 0);
        }
        assertThat(budget.ask("late", "no", 0)).isEqualTo(LATER);
        assertThat(budget.ask("late", "no", SECOND)).isEqualTo(SAY);
    }
}
