package dev.plainsail.webhook.admission;

import static org.assertj.core.api.Assertions.assertThatCode;

import dev.plainsail.webhook.plan.InjectionSettings;
import org.junit.jupiter.api.Test;

class WarmUpTest {
    @Test
    void itsOwnReviewsAreAcceptedWhateverTheRest() {
        assertThatCode(() -> WarmUp.run(InjectionSettings.defaults(), System::nanoTime))
                .doesNotThrowAnyException();
    }
}
