package dev.plainsail.webhook.plan;

import dev.plainsail.dra.DeviceClaim;
import dev.plainsail.webhook.engine.Engine.ExpertWish;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What the annotations of one pod ask for, each value together with where it was written. An empty component was not asked
 * for; a value that was refused is empty, too, so planning can go on and find more.
 */
public record Intent(
        Optional<Asked<Devices>> devices,
        Optional<Asked<ClaimSource>> claim,
        Optional<Asked<List<String>>> containers,
        Optional<Asked<EngineChoice>> engine,
        Optional<Asked<String>> model,
        Optional<Asked<Parallelism>> parallelism,
        Optional<Asked<Role>> role,
        Optional<Asked<KvTransfer>> kvTransfer,
        Optional<Asked<KvEvents>> kvEvents,
        Optional<Asked<List<EngineArgument>>> engineArgs,
        Optional<Asked<LibraryPath>> libraryPath,
        Optional<Asked<String>> pool,
        Optional<Asked<PortChoice>> port,
        Set<Fill> fill) {

    public Intent {
        fill = Set.copyOf(fill);
    }

    /** A value and where it comes from. */
    public record Asked<T>(T value, Written written) {}

    public sealed interface Devices {
        /** To be found out from the pod's limits and parallelism. */
        record Auto() implements Devices {}

        /** @param isCountOpen the first request's count was left out, so parallelism may decide it */
        record These(DeviceClaim claim, boolean isCountOpen) implements Devices {}
    }

    public sealed interface ClaimSource {
        String name();

        record Named(String name) implements ClaimSource {}

        record Template(String name) implements ClaimSource {}
    }

    public enum EngineChoice {
        VLLM,
        SGLANG,
        NONE;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** How the model is spread; what is not given is not said to the engine. */
    public record Parallelism(
            OptionalInt tensor,
            OptionalInt pipeline,
            OptionalInt data,
            OptionalInt dataLocal,
            Optional<ExpertWish> expert) {}

    public enum Role {
        PREFILL,
        DECODE,
        BOTH;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public sealed interface KvTransfer {
        record Known(Connector connector) implements KvTransfer {}

        /** @param json compact */
        record Custom(String json) implements KvTransfer {}
    }

    public enum Connector {
        NIXL,
        OFFLOADING,
        SHARED_STORAGE,
        LMCACHE;

        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    public sealed interface KvEvents {
        record Off() implements KvEvents {}

        record On(String endpoint) implements KvEvents {}
    }

    /**
     * One flag of {@code engine-args} with the words that follow it.
     *
     * @param name the flag without its {@code =value}
     */
    public record EngineArgument(String name, List<String> words) {
        public EngineArgument {
            words = List.copyOf(words);
        }
    }

    public sealed interface LibraryPath {
        record Auto() implements LibraryPath {}

        record Off() implements LibraryPath {}

        record These(List<String> directories) implements LibraryPath {
            public These {
                directories = List.copyOf(directories);
            }
        }
    }

    public sealed interface PortChoice {
        record Numbered(int port) implements PortChoice {}

        record Named(String name) implements PortChoice {}
    }

    public enum Fill {
        SHM("shm"),
        PROBES("probes"),
        GRACE("grace"),
        SERVICE_LINKS("service-links"),
        HOST_IP("host-ip");

        private final String word;

        Fill(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }

        public static Set<Fill> all() {
            return EnumSet.allOf(Fill.class);
        }
    }

    static final Pattern LABEL_VALUE = Pattern.compile("([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?");
}
