package dev.plainsail.epp.prefix;

import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Lookups and insertions of prompts in an index that is full of others. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class BenchmarkPrefixIndex {
    private static final int SLOTS = 64;

    /** Blocks of a prompt: 2 KB, 25 KB and 512 KB of text. */
    @Param({"8", "100", "2048"})
    public int blocks;

    private final PrefixIndex index = new PrefixIndex(1 << 20, 2048, PrefixIndex.DEFAULT_CAPACITY_BLOCKS);
    private final int[] slots = IntStream.range(0, SLOTS).toArray();
    private final int[] lengths = new int[SLOTS];
    private final BlockHashes[] prompts = new BlockHashes[1024];
    private int next;

    /** Every prompt is held by one endpoint. */
    @Setup
    public void fill() {
        for (int prompt = 0; prompt < prompts.length; prompt++) {
            long[] hashes = new long[blocks];
            for (int block = 0; block < blocks; block++) {
                hashes[block] = (prompt * 4096L + block + 1) * 0x9E3779B97F4A7C15L;
            }
            prompts[prompt] = new BlockHashes(hashes, blocks);
            index.insert(prompts[prompt], prompt % SLOTS);
        }
    }

    /** A prompt that one of 64 endpoints holds whole. */
    @Benchmark
    public int match() {
        int prompt = next++ & 1023;
        index.match(prompts[prompt], slots, SLOTS, lengths);
        return lengths[prompt % SLOTS];
    }

    /** A prompt that its endpoint holds already. */
    @Benchmark
    public void insert() {
        int prompt = next++ & 1023;
        index.insert(prompts[prompt], prompt % SLOTS);
    }
}
