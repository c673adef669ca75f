package dev.plainsail.epp.datalayer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What engines want to see before they tell anything: a bearer token. It is read from a file, again when that changes; a
 * file that cannot be read keeps the last good token. Safe from any thread.
 */
public final class EngineAccess {
    /** Engines that answer everybody. */
    public static final EngineAccess OPEN = new EngineAccess(null);

    private static final Logger LOG = LoggerFactory.getLogger(EngineAccess.class);

    private final @Nullable Path tokenFile;
    private @Nullable FileTime readAt;
    private @Nullable String header;

    /** @param tokenFile holds the token, blanks around it ignored; null: none is sent */
    public EngineAccess(@Nullable Path tokenFile) {
        this.tokenFile = tokenFile;
    }

    /** The value of the header {@code Authorization}; empty if none is to be sent. */
    public synchronized Optional<String> authorization() {
        Path file = tokenFile;
        if (file != null) {
            try {
                FileTime changed = Files.getLastModifiedTime(file);
                if (!changed.equals(readAt)) {
                    String token = Files.readString(file).strip();
                    header = token.isEmpty() ? null : "Bearer " + token;
                    readAt = changed;
                }
            } catch (IOException e) {
                LOG.warn("the engines' token in {} cannot be read: {}; the last one stays", file, e.toString());
            }
        }
        return Optional.ofNullable(header);
    }
}
