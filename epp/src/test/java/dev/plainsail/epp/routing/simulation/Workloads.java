package dev.plainsail.epp.routing.simulation;

import dev.plainsail.epp.prefix.BlockHashes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.GZIPInputStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Requests over time: made up, or from a recorded trace. The seed moves arrivals a little, so that runs differ. */
final class Workloads {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private Workloads() {}

    /** Conversations that grow turn by turn over prompts that groups of users share. */
    static List<Shape> conversations(long seed, int requests, double perSecond) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Shape> shapes = new ArrayList<>();
        int users = Math.max(1, requests / 6);
        int[] turns = new int[users];
        double time = 0;
        for (int i = 0; i < requests; i++) {
            time += exponential(random, perSecond);
            int user = random.nextInt(users);
            int group = user % 12;
            int turn = turns[user]++;
            int systemBlocks = 24 + group % 3 * 24;
            int blocks = systemBlocks + 4 + turn * 8;
            long[] hashes = new long[blocks];
            for (int block = 0; block < blocks; block++) {
                hashes[block] =
                        block < systemBlocks ? mix(group * 10_007L + block) : mix((user + 1) * 1_000_003L + block);
            }
            int output = 64 + random.nextInt(256);
            shapes.add(new Shape(time, blocks * 64 - random.nextInt(64), output, new BlockHashes(hashes, blocks)));
        }
        return shapes;
    }

    /** Every so often, sixteen requests at once with one prompt that nobody has seen. */
    static List<Shape> bursts(long seed, int requests, double perSecond) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Shape> shapes = new ArrayList<>();
        double time = 0;
        for (int burst = 0; shapes.size() < requests; burst++) {
            time += exponential(random, perSecond / 16);
            int blocks = 32 + random.nextInt(64);
            long[] hashes = new long[blocks];
            for (int block = 0; block < blocks; block++) {
                hashes[block] = mix(burst * 1_000_003L + block);
            }
            for (int i = 0; i < 16; i++) {
                shapes.add(new Shape(
                        time + i * 0.0005, blocks * 64, 100 + random.nextInt(200), new BlockHashes(hashes, blocks)));
            }
        }
        return shapes;
    }

    /** @param speedup how many times faster than recorded */
    static List<Shape> mooncake(Path file, long seed, double speedup) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        List<Shape> shapes = new ArrayList<>();
        try (BufferedReader lines = open(file)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode node = JSON.readTree(line);
                int input = node.path("input_length").asInt();
                JsonNode ids = node.path("hash_ids");
                int blocks = Math.min(ids.size() * 8, (input + 63) / 64);
                long[] hashes = new long[blocks];
                for (int block = 0; block < blocks; block++) {
                    hashes[block] = mix(ids.get(block / 8).asLong() * 8 + block % 8 + 1);
                }
                double time = (node.path("timestamp").asDouble() / 1000 + random.nextDouble(3)) / speedup;
                shapes.add(new Shape(
                        time, input, Math.max(1, node.path("output_length").asInt()), new BlockHashes(hashes, blocks)));
            }
        }
        shapes.sort(Comparator.comparingDouble(Shape::arrival));
        return shapes;
    }

    static List<Shape> azure(Path file, long seed, double speedup) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        List<Shape> shapes = new ArrayList<>();
        try (BufferedReader lines = open(file)) {
            lines.readLine();
            LocalDateTime first = null;
            int number = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] fields = line.split(",", -1);
                LocalDateTime at = LocalDateTime.parse(fields[0].replace(' ', 'T'));
                first = first == null ? at : first;
                int input = Math.max(1, Integer.parseInt(fields[1]));
                long[] hashes = new long[(input + 63) / 64];
                number++;
                for (int block = 0; block < hashes.length; block++) {
                    hashes[block] = mix(number * 1_000_003L + block);
                }
                double time = (Duration.between(first, at).toNanos() / 1e9 + random.nextDouble(0.2)) / speedup;
                shapes.add(new Shape(
                        time, input, Math.max(1, Integer.parseInt(fields[2])), new BlockHashes(hashes, hashes.length)));
            }
        }
        shapes.sort(Comparator.comparingDouble(Shape::arrival));
        return shapes;
    }

    private static BufferedReader open(Path file) throws IOException {
        return new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8));
    }

    private static double exponential(SplittableRandom random, double perSecond) {
        return -Math.log(1 - random.nextDouble()) / perSecond;
    }

    private static long mix(long value) {
        long mixed = (value ^ value >>> 31) * 0x9E3779B97F4A7C15L;
        return mixed ^ mixed >>> 29;
    }
}
