package dev.plainsail.e2e.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Several engines in this JVM, each on an address of its own in 127.0.0.0/8, all on one port, as pods are. */
public final class EngineFleet implements AutoCloseable {
    private final List<SimulatedEngine> engines;

    private EngineFleet(List<SimulatedEngine> engines) {
        this.engines = List.copyOf(engines);
    }

    /**
     * Starts engines on 127.{@code network}.0.1, .2 and so on.
     *
     * @param count 1 to 250
     * @param network 1 to 15, which local clusters leave free; tests that run at once take different ones
     * @param port as pods have, or 0: each takes a free one
     * @param arguments the same for all, as behind {@code vllm serve}; no {@code --host} or {@code --port}
     */
    public static EngineFleet start(int count, int network, int port, List<String> arguments) throws IOException {
        if (count < 1 || count > 250 || network < 1 || network > 15) {
            throw new IllegalArgumentException("1 to 250 engines in networks 1 to 15, not " + count + " in " + network);
        }
        List<SimulatedEngine> engines = new ArrayList<>();
        try {
            for (int i = 1; i <= count; i++) {
                List<String> own = new ArrayList<>(arguments);
                own.addAll(List.of("--host", "127." + network + ".0." + i, "--port", Integer.toString(port)));
                engines.add(SimulatedEngine.start(own));
            }
        } catch (IOException | RuntimeException e) {
            closeAll(engines);
            throw e;
        }
        return new EngineFleet(engines);
    }

    public List<SimulatedEngine> engines() {
        return engines;
    }

    public SimulatedEngine engine(int index) {
        return engines.get(index);
    }

    @Override
    public void close() throws IOException {
        closeAll(engines);
    }

    private static void closeAll(List<SimulatedEngine> engines) throws IOException {
        for (SimulatedEngine engine : engines) {
            engine.close();
        }
    }
}
