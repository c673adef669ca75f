package dev.plainsail.e2e.engine;

import java.io.IOException;
import java.net.BindException;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * One engine as a process. The first argument says how it was called: {@code vllm}, then {@code serve} and flags, or {@code module}, then
 * flags at once.
 */
public final class EngineMain {
    private static final int USAGE = 2;

    private EngineMain() {}

    /** Serves until it is stopped; exits with 2 for a wrong command line, as vLLM does, and 1 when it cannot start. */
    public static void main(String[] arguments) throws InterruptedException {
        List<String> words = List.of(arguments);
        boolean module = words.getFirst().equals("module");
        List<String> rest = words.subList(1, words.size());
        if (!module && !rest.isEmpty() && List.of("--version", "-v").contains(rest.getFirst())) {
            System.out.println(Answers.VERSION);
            return;
        }
        if (!module && (rest.isEmpty() || !rest.getFirst().equals("serve"))) {
            usage("vllm", "this is Plainsail's simulated engine, which knows only: vllm serve MODEL [FLAGS]");
        }
        try {
            run(EngineArguments.parse(module ? rest : rest.subList(1, rest.size()), System.getenv()));
        } catch (EngineArguments.Wrong e) {
            usage(program(module, String.valueOf(e.getMessage())), String.valueOf(e.getMessage()));
        } catch (BindException e) {
            stop("cannot listen: " + e.getMessage());
        } catch (IOException e) {
            stop(String.valueOf(e.getMessage()));
        }
    }

    private static void run(EngineSettings settings) throws IOException, InterruptedException {
        System.err.println("INFO simulated vLLM " + Answers.VERSION + ", model "
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

    /** Who speaks, as in vLLM: the whole program of words that nobody knows, its command of what is wrong with a flag. */
    private static String program(boolean module, String problem) {
        if (module) {
            return "api_server.py";
        }
        return problem.startsWith("unrecognized") ? "vllm" : "vllm serve";
    }

    private static void usage(String program, String problem) {
        System.err.println("usage: " + program + (program.equals("vllm serve") ? " [model_tag]" : "") + " [options]");
        System.err.println(program + ": error: " + problem);
        System.exit(USAGE);
    }

    private static void stop(String problem) {
        System.err.println("ERROR " + problem);
        System.exit(1);
    }
}
