package dev.plainsail.e2e.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;

import dev.plainsail.e2e.engine.EngineCore.Limits;
import dev.plainsail.e2e.engine.Sequence.FinishReason;
import dev.plainsail.e2e.engine.Sequence.Siblings;
import dev.plainsail.e2e.engine.Sequence.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The scheduler in virtual time: nothing here sleeps. */
final class EngineCoreTest {
    /** 1,000 prompt tokens a second, 10 ms a step. */
    private static final TimeModel TIME = new TimeModel(1000, Duration.ofMillis(10), Duration.ZERO, 1);

    private final EngineStats stats = new EngineStats(4096);
    private long now;

    private EngineCore core(int blocks, int maxSequences, int maxStepTokens) {
        return new EngineCore(new KvCache(16, blocks, true), new Limits(maxSequences, maxStepTokens), TIME, stats);
    }

    private Sequence sequence(int first, int promptTokens, int maxTokens) {
        int[] prompt = IntStream.range(first, first + promptTokens).toArray();
        Task task = new Task(Tokens.of(prompt), null, null, first, Integer.MAX_VALUE, maxTokens);
        return new Sequence(task, new Siblings(1), (_, _) -> {}, now);
    }

    /** Runs until there is no work left. */
    private void drain(EngineCore core) {
        for (Optional<EngineCore.Step> step = core.begin(now); step.isPresent(); step = core.begin(now)) {
            step(core, step.get());
        }
    }

    private void step(EngineCore core, EngineCore.Step step) {
        now += step.durationNanos();
        core.end(step, now);
    }

    private void step(EngineCore core) {
        step(core, core.begin(now).orElseThrow());
    }

    private static Duration nanos(long nanos) {
        return Duration.ofNanos(nanos);
    }

    @Test
    void aColdPromptCostsItsTokensAndAWarmOneOnlyTheRest() {
        EngineCore core = core(100, 8, 8192);
        Sequence cold = sequence(0, 321, 1);
        core.add(cold);
        drain(core);
        assertThat(nanos(cold.firstTokenAt - cold.arrivedAt)).isEqualTo(Duration.ofMillis(10 + 321));
        Sequence warm = sequence(0, 321, 1);
        core.add(warm);
        drain(core);
        assertThat(warm.cachedTokens).isEqualTo(320);
        assertThat(nanos(warm.firstTokenAt - warm.arrivedAt)).isEqualTo(Duration.ofMillis(10 + 1));
        assertThat(stats.prefixQueries).isEqualTo(642);
        assertThat(stats.prefixHits).isEqualTo(320);
    }

    @Test
    void sequencesShareAStep() {
        EngineCore core = core(100, 8, 8192);
        List<Sequence> all = List.of(sequence(0, 16, 5), sequence(1000, 16, 5), sequence(2000, 16, 5));
        all.forEach(core::add);
        step(core);
        assertThat(core.running()).isEqualTo(3);
        drain(core);
        // One step for the prompts, four more for the rest of each answer, whatever their number.
        assertThat(nanos(now)).isEqualTo(Duration.ofMillis(10 + 48 + 4 * 10));
        assertThat(all).allMatch(s -> s.finish == FinishReason.LENGTH);
    }

    @Test
    void moreThanTheLimitWait() {
        EngineCore core = core(100, 2, 8192);
        List<Sequence> all = List.of(sequence(0, 16, 2), sequence(1000, 16, 3), sequence(2000, 16, 2));
        all.forEach(core::add);
        step(core);
        assertThat(List.of(core.running(), core.waiting())).containsExactly(2, 1);
        step(core);
        assertThat(all.get(0).finished()).isTrue();
        step(core);
        assertThat(List.of(core.running(), core.waiting())).containsExactly(1, 0);
        drain(core);
        assertThat(all.get(2).scheduledAt).isPositive();
    }

    @Test
    void aLongPromptIsComputedInPiecesBesideRunningAnswers() {
        EngineCore core = core(100, 8, 64);
        Sequence running = sequence(0, 16, 50);
        core.add(running);
        step(core);
        Sequence big = sequence(1000, 189, 1);
        core.add(big);
        step(core);
        // One token for the answer, 63 for the prompt.
        assertThat(running.generated).isEqualTo(2);
        assertThat(big.computed).isEqualTo(63);
        step(core);
        step(core);
        assertThat(running.generated).isEqualTo(4);
        assertThat(big.finish).isEqualTo(FinishReason.LENGTH);
    }

    @Test
    void theYoungestGivesWayWhenTheCacheIsFull() {
        EngineCore core = core(4, 8, 8192);
        Sequence old = sequence(0, 32, 10);
        Sequence young = sequence(1000, 32, 10);
        core.add(old);
        core.add(young);
        step(core);
        assertThat(core.cacheUsed()).isEqualTo(1.0);
        step(core);
        assertThat(stats.preemptions).isEqualTo(1);
        assertThat(List.of(core.running(), core.waiting())).containsExactly(1, 1);
        drain(core);
        assertThat(old.finish).isEqualTo(FinishReason.LENGTH);
        assertThat(young.finish).isEqualTo(FinishReason.LENGTH);
        assertThat(young.generated).isEqualTo(10);
        assertThat(young.preemptions).isEqualTo(1);
        assertThat(core.cacheUsed()).isZero();
    }

    @Test
    void anAbortFreesAtOnceEvenInTheMiddleOfAStep() {
        EngineCore core = core(100, 8, 8192);
        Sequence sequence = sequence(0, 64, 10);
        core.add(sequence);
        EngineCore.Step step = core.begin(now).orElseThrow();
        core.abort(sequence, now);
        assertThat(core.cacheUsed()).isZero();
        assertThat(core.running()).isZero();
        step(core, step);
        assertThat(sequence.generated).isZero();
        assertThat(stats.finished.values()).containsOnly(0L);
        assertThat(core.begin(now)).isEmpty();
    }

    @Test
    void anAnswerEndsByItselfOrIsCut() {
        EngineCore core = core(100, 8, 8192);
        List<FinishReason> reasons = new ArrayList<>();
        for (int natural : List.of(3, 100)) {
            Task task = new Task(Tokens.of(1, 2, 3), null, null, 1, natural, 10);
            core.add(new Sequence(
                    task,
                    new Siblings(1),
                    (_, finish) -> {
                        if (finish != null) {
                            reasons.add(finish);
                        }
                    },
                    now));
        }
        drain(core);
        assertThat(reasons).containsExactly(FinishReason.STOP, FinishReason.LENGTH);
        assertThat(stats.generationTokens).isEqualTo(3 + 10);
    }

    @Test
    void aFactorMakesEverythingFaster() {
        TimeModel ten = TIME.faster(10);
        assertThat(nanos(ten.stepNanos(1, 1000))).isEqualTo(Duration.ofMillis(101));
    }

    /** Whatever comes, in whatever order, with clients leaving: every sequence ends, the books balance, and nothing stays in the cache. */
    @Test
    void everySequenceEndsAndTheBooksBalance() {
        qt().withExamples(200).forAll(integers().all()).checkAssert(seed -> {
            Random random = new Random(seed);
            EngineStats own = new EngineStats(4096);
            EngineCore core = new EngineCore(
                    new KvCache(4, 16, random.nextBoolean()),
                    new Limits(1 + random.nextInt(5), 4 + random.nextInt(30)),
                    TIME,
                    own);
            List<Sequence> all = new ArrayList<>();
            long time = 0;
            for (int turn = 0; turn < 400; turn++) {
                if (random.nextInt(4) == 0 && all.size() < 30) {
                    int[] prompt = random.ints(1 + random.nextInt(40), 0, 2).toArray();
                    Task task = new Task(
                            Tokens.of(prompt), null, null, seed, 1 + random.nextInt(20), 1 + random.nextInt(20));
                    Sequence sequence = new Sequence(task, new Siblings(1), (_, _) -> {}, time);
                    all.add(sequence);
                    core.add(sequence);
                }
                Optional<EngineCore.Step> step = core.begin(time);
                if (!all.isEmpty() && random.nextInt(20) == 0) {
                    core.abort(all.get(random.nextInt(all.size())), time);
                }
                if (step.isPresent()) {
                    time += step.get().durationNanos();
                    core.end(step.get(), time);
                }
                assertThat(core.running()).isLessThanOrEqualTo(5);
            }
            for (Optional<EngineCore.Step> step = core.begin(time); step.isPresent(); step = core.begin(time)) {
                time += step.get().durationNanos();
                core.end(step.get(), time);
            }
            assertThat(all).allMatch(Sequence::finished);
            assertThat(core.cacheUsed()).isZero();
            assertThat(own.generationTokens)
                    .isEqualTo(all.stream().mapToInt(s -> s.generated).sum());
            long ended =
                    all.stream().filter(s -> s.finish != FinishReason.ABORT).count();
            assertThat(own.requestLatency.count()).isEqualTo(ended);
            assertThat(own.prefixHits).isLessThanOrEqualTo(own.prefixQueries);
        });
    }
}
