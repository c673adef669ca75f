package dev.plainsail.e2e.engine;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** A prompt as token ids; immutable. */
final class Tokens {
    private final int[] ids;

    private Tokens(int[] ids) {
        this.ids = ids;
    }

    static Tokens of(int... ids) {
        return new Tokens(ids.clone());
    }

    static Tokens of(CharSequence text) {
        return new Tokens(Tokenizer.tokens(text));
    }

    int size() {
        return ids.length;
    }

    int[] toArray() {
        return ids.clone();
    }

    List<Integer> toList() {
        return IntStream.of(ids).boxed().toList();
    }

    long hash(long seed) {
        return KvCache.hash(seed, ids, 0, ids.length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Tokens tokens && Arrays.equals(ids, tokens.ids);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(ids);
    }
}
