package dev.plainsail.epp.protocol;

import dev.plainsail.epp.prefix.BlockHasher;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the JSON body of an inference request in one pass while its pieces arrive: which model, how long the prompt, how
 * many tokens are wanted, and the block hashes of the prompt. Never builds a tree, never holds a string that it does not
 * report.
 *
 * <p>Understands the bodies of {@code /v1/chat/completions}, {@code /v1/completions} (text, lists, token ids),
 * {@code /v1/responses}, {@code /v1/messages}, {@code /v1/embeddings}, vLLM's and SGLang's {@code generate}, with their
 * fields in any order. A field that is there twice counts as the last one, as in Python. Not safe for two threads.
 *
 * @see JsonScanner for how strict it is
 */
final class BodyReader implements JsonScanner.Events {
    /** Longest model name that is read; longer ones are refused. */
    static final int MAX_NAME_BYTES = 512;

    private final JsonScanner scanner = new JsonScanner(this);
    private final PromptText tools;
    private final PromptText system;
    private final PromptText main;
    private final byte[] name = new byte[MAX_NAME_BYTES];
    private final List<BodyFacts.Span> modelSpans = new ArrayList<>();

    private @Nullable Field field;
    private @Nullable PromptText text;
    private final HeldKey held = new HeldKey();
    private int skipBelow;
    private int mediaBelow;
    private boolean inMediaData;
    private int nameLength;
    private long stringOffset;

    private @Nullable String model;
    private boolean streamed;
    private int maxTokens;
    private long saltHash;
    private final EnumSet<Field> fieldsSeen = EnumSet.noneOf(Field.class);

    /** @param blockLimit most blocks that are hashed of tools, system text and messages each */
    BodyReader(int blockLimit) {
        tools = new PromptText(blockLimit);
        system = new PromptText(blockLimit);
        main = new PromptText(blockLimit);
        reset();
    }

    /** Makes it ready for the next body. */
    void reset() {
        scanner.reset();
        tools.reset();
        system.reset();
        main.reset();
        modelSpans.clear();
        field = null;
        text = null;
        held.forget();
        skipBelow = Integer.MAX_VALUE;
        mediaBelow = Integer.MAX_VALUE;
        inMediaData = false;
        model = null;
        streamed = false;
        maxTokens = -1;
        saltHash = 0;
        fieldsSeen.clear();
    }

    /** Takes the next bytes of the body. */
    void read(byte[] bytes, int from, int to) {
        scanner.read(bytes, from, to);
    }

    /** Says that the body has ended. */
    void end() {
        scanner.end();
    }

    /** Why the body cannot be read, for the person who sent it; null if it can. */
    @Nullable
    String problem() {
        return scanner.problem();
    }

    /** What the body said; for a body that has not ended, what it said so far. */
    BodyFacts facts() {
        long tokens = tools.tokens() + system.tokens() + main.tokens();
        return new BodyFacts(
                model,
                streamed,
                (int) Math.min(tokens, Integer.MAX_VALUE),
                maxTokens,
                BlockHasher.chain(seed(), tools.hasher, system.hasher, main.hasher),
                List.copyOf(modelSpans));
    }

    private long seed() {
        if (model == null) {
            return saltHash;
        }
        byte[] bytes = model.getBytes(StandardCharsets.UTF_8);
        return BlockHasher.mix(saltHash, BlockHasher.hash(bytes, 0, bytes.length));
    }

    // ---- structure

    @Override
    public void beginObject() {
        if (scanner.depth() == 0) {
            return;
        }
        refuseIfScalarWanted();
        PromptText into = text;
        if (into == null || skipping() || beginsSkipped()) {
            return;
        }
        if (held.isMediaParent()) {
            mediaBelow = Math.min(mediaBelow, scanner.depth());
        }
        held.emit(into);
        into.mark(PromptText.OBJECT_BEGIN);
    }

    @Override
    public void endObject() {
        PromptText into = text;
        if (into != null && scanner.depth() < skipBelow) {
            into.mark(PromptText.OBJECT_END);
        }
        close();
    }

    @Override
    public void beginArray() {
        if (scanner.depth() == 0) {
            scanner.refuse("the body must be a JSON object, not a list");
            return;
        }
        refuseIfScalarWanted();
        PromptText into = text;
        if (into != null && !skipping() && !beginsSkipped()) {
            held.emit(into);
        }
    }

    @Override
    public void endArray() {
        close();
    }

    /** Marks for the engine's cache wander from turn to turn and are no part of the prompt. */
    private boolean beginsSkipped() {
        if (!held.isCacheControl()) {
            return false;
        }
        skipBelow = scanner.depth();
        held.forget();
        return true;
    }

    /** The scanner's depth is that of the parent again. */
    private void close() {
        if (scanner.depth() <= mediaBelow) {
            mediaBelow = Integer.MAX_VALUE;
        }
        if (scanner.depth() <= skipBelow) {
            skipBelow = Integer.MAX_VALUE;
        }
        endOfRootField();
    }

    private void endOfRootField() {
        if (scanner.depth() == 1) {
            field = null;
            text = null;
        }
    }

    private boolean skipping() {
        return scanner.depth() > skipBelow;
    }

    private void refuseIfScalarWanted() {
        if (scanner.depth() == 1 && field == Field.MODEL) {
            scanner.refuse("model: must be a string");
        }
    }

    // ---- fields

    @Override
    public void key(byte[] key, int length) {
        if (scanner.depth() == 1) {
            rootKey(key, length);
            return;
        }
        if (skipping()) {
            return;
        }
        if (text != null || field == Field.SAMPLING_PARAMS) {
            held.hold(key, length);
        }
    }

    private void rootKey(byte[] key, int length) {
        held.forget();
        Field found = Field.of(key, length);
        field = found;
        text = null;
        if (found == null) {
            return;
        }
        PromptText into = switch (found.part()) {
            case TOOLS -> tools;
            case SYSTEM -> system;
            case MAIN -> main;
            case NONE -> null;
        };
        if (!fieldsSeen.add(found) && into != null) {
            into.reset();
        }
        text = into;
    }

    // ---- strings

    @Override
    public void beginString(long offset) {
        if (scanner.depth() == 0) {
            scanner.refuse("the body must be a JSON object, not a string");
            return;
        }
        PromptText into = text;
        if (into == null) {
            nameLength = 0;
            stringOffset = offset;
            return;
        }
        if (skipping()) {
            return;
        }
        inMediaData = isMediaData(into);
        held.emit(into);
        if (inMediaData) {
            into.beginMedia();
        }
    }

    private boolean isMediaData(PromptText into) {
        if (field == Field.IMAGE_DATA) {
            return true;
        }
        return into == main && held.isMediaData() && (mediaBelow != Integer.MAX_VALUE || held.isMediaByItself());
    }

    @Override
    public void text(byte[] bytes, int from, int to) {
        PromptText into = text;
        if (into != null) {
            if (skipping()) {
                return;
            }
            if (inMediaData) {
                into.media(bytes, from, to);
            } else {
                into.text(bytes, from, to);
            }
            return;
        }
        if (field != null && scanner.depth() == 1) {
            keepName(bytes, from, to);
        }
    }

    private void keepName(byte[] bytes, int from, int to) {
        int kept = Math.min(to - from, MAX_NAME_BYTES - nameLength);
        System.arraycopy(bytes, from, name, nameLength, kept);
        nameLength += kept;
        if (kept < to - from && field == Field.MODEL) {
            scanner.refuse("model: must not be longer than " + MAX_NAME_BYTES + " bytes");
        }
    }

    @Override
    public void endString(long end) {
        PromptText into = text;
        if (into != null && !skipping()) {
            if (inMediaData) {
                inMediaData = false;
                into.endMedia();
            }
            into.endField();
        }
        if (scanner.depth() == 1) {
            endOfRootString(end);
        }
    }

    private void endOfRootString(long end) {
        Field ended = field;
        if (ended == Field.MODEL) {
            model = new String(name, 0, nameLength, StandardCharsets.UTF_8);
            modelSpans.add(new BodyFacts.Span(stringOffset, end));
            if (nameLength == 0) {
                scanner.refuse("model: must not be empty");
            }
        } else if (ended == Field.CACHE_SALT || ended == Field.LORA_PATH || ended == Field.EXTRA_KEY) {
            addSalt(ended, name, nameLength);
        }
        endOfRootField();
    }

    /** A sum, so that the order of the fields makes no difference. */
    private void addSalt(Field which, byte[] bytes, int length) {
        saltHash += BlockHasher.mix(which.key().hashCode(), BlockHasher.hash(bytes, 0, length));
    }

    // ---- numbers, true, false, null

    @Override
    public void literal(byte[] bytes, int length) {
        if (scanner.depth() == 0) {
            scanner.refuse("the body must be a JSON object");
            return;
        }
        boolean isNull = length == 4 && bytes[0] == 'n';
        PromptText into = text;
        if (into != null && !skipping()) {
            promptLiteral(into, bytes, length, isNull);
        } else if (scanner.depth() == 2 && field == Field.SAMPLING_PARAMS) {
            samplingLiteral(bytes, length);
        }
        if (scanner.depth() == 1) {
            rootLiteral(bytes, length, isNull);
            endOfRootField();
        }
    }

    private void promptLiteral(PromptText into, byte[] bytes, int length, boolean isNull) {
        if (isNull) {
            held.forget();
            return;
        }
        int number = into == main && !held.isHolding() && field != Field.MESSAGES ? WholeNumber.of(bytes, length) : -1;
        if (number >= 0) {
            into.token(number);
            return;
        }
        held.emit(into);
        into.literal(bytes, length);
    }

    private void samplingLiteral(byte[] bytes, int length) {
        String key = held.text();
        if (key.equals("max_tokens") || key.equals("max_new_tokens")) {
            maxTokens = WholeNumber.of(bytes, length);
        }
        held.forget();
    }

    private void rootLiteral(byte[] bytes, int length, boolean isNull) {
        Field ended = field;
        if (ended == Field.MODEL && isNull) {
            model = null;
        }
        if (ended == null || isNull) {
            return;
        }
        switch (ended) {
            case MODEL -> scanner.refuse("model: must be a string");
            case STREAM -> streamed = length == 4 && bytes[0] == 't';
            case MAX_TOKENS, MAX_COMPLETION_TOKENS, MAX_OUTPUT_TOKENS -> maxTokens = WholeNumber.of(bytes, length);
            case CACHE_SALT, LORA_PATH, EXTRA_KEY -> addSalt(ended, bytes, length);
            case SAMPLING_PARAMS,
                    TOOLS,
                    FUNCTIONS,
                    SYSTEM,
                    INSTRUCTIONS,
                    MESSAGES,
                    PROMPT,
                    INPUT,
                    TEXT,
                    INPUT_IDS,
                    TOKEN_IDS,
                    IMAGE_DATA -> {}
        }
    }
}
