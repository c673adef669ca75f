package dev.plainsail.e2e.engine;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * One engine as a process. The first argument says how it was called: {@code vllm}, then {@code serve} and flags, or the name of a Python
 * module, then flags at once.
 */
public final class EngineMain {
    private static final int USAGE = 2;
    private static final String VLLM_MODULE = "vllm.entrypoints.openai.api_server";
    private static final String SGLANG_MODULE = "sglang.launch_server";

    private EngineMain() {}

    /** Serves until it is stopped; exits with 2 for a wrong command line, as the real ones do, and 1 when it cannot start. */
    public static void main(String[] arguments) throws InterruptedException {
        List<String> words = List.of(arguments);
        String program = words.getFirst();
        List<String> rest = words.subList(1, words.size());
        try {
            run(settings(program, rest));
        } catch (ArgumentReader.Wrong e) {
            usage(program, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            stop(String.valueOf(e.getMessage()));
        }
    }

    private static EngineSettings settings(String program, List<String> words) throws ArgumentReader.Wrong {
        return switch (program) {
            case VLLM_MODULE -> VllmArguments.parse(words, System.getenv());
            case SGLANG_MODULE -> SglangArguments.parse(words, System.getenv());
            default -> command(words);
        };
    }

    private static EngineSettings command(List<String> words) throws ArgumentReader.Wrong {
        if (!words.isEmpty() && List.of("--version", "-v").contains(words.getFirst())) {
            System.out.println(Answers.VERSION);
            System.exit(0);
        }
        if (words.isEmpty() || !words.getFirst().equals("serve")) {
            throw new ArgumentReader.Wrong(
                    "this is Plainsail's simulated engine, which knows only: vllm serve MODEL [FLAGS]");
        }
        return VllmArguments.parse(words.subList(1, words.size()), System.getenv());
    }

    private static void run(EngineSettings settings) throws IOException, InterruptedException {
        System.err.println("INFO simulated " + settings.dialect() + ", model "
                + settings.model().names() + ", " + settings.cache().blocks() + " blocks of "
                + settings.cache().blockSize() + " tokens");
        Thread.sleep(settings.startDelay());
        if (settings.headless()) {
            System.err.println("INFO headless: no API server");
            new CountDownLatch(1).await();
        }
        try (SimulatedEngine engine = SimulatedEngine.start(settings, EngineClock.SYSTEM)) {
            System.err.println("INFO serving on " + engine.url());
            new CountDownLatch(1).await();
        }
    }

    private static void usage(String program, String problem) {
        String name = speaker(program, problem);
        System.err.println("usage: " + name + (name.equals("vllm serve") ? " [model_tag]" : "") + " [options]");
        System.err.println(name + ": error: " + problem);
        System.exit(USAGE);
    }

    /** Who complains, as in the real ones: vLLM's whole program of words that nobody knows, its command of what is wrong with a flag. */
    private static String speaker(String program, String problem) {
        return switch (program) {
            case VLLM_MODULE -> "api_server.py";
            case SGLANG_MODULE -> "launch_server.py";
            default -> problem.startsWith("argument") ? "vllm serve" : "vllm";
        };
    }

    private static void stop(String problem) {
        System.err.println("ERROR " + problem);
        System.exit(1);
    }
}
