package dev.plainsail.e2e.engine;

import java.util.SplittableRandom;

/** The endless answer of an engine to one prompt: plain words, the same for the same seed. Each word is one token. */
final class Words {
    private static final String[] WORDS =
            ("the sea wind calm sail boat port harbor light wave north south east west rope mast deck helm tide moon "
                            + "star bay cape isle reef sand shore storm cloud rain sun day night keel hull crew song gull fish net map chart bell "
                            + "watch knot line buoy drift steer turn hold rest wait rise fall near far deep clear soft warm cold blue grey green")
                    .split(" ");

    private final SplittableRandom random;

    Words(long seed) {
        this.random = new SplittableRandom(seed);
    }

    String next() {
        return " " + WORDS[random.nextInt(WORDS.length)];
    }

    /** After how many tokens an answer ends by itself: between 8 and 256, the same for the same seed. */
    static int naturalLength(long seed) {
        return 8 + new SplittableRandom(seed ^ 0x5DEECE66DL).nextInt(249);
    }
}
