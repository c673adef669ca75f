package dev.plainsail.epp.datalayer;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.plainsail.epp.pool.Member;
import dev.plainsail.epp.pool.Pools;
import dev.plainsail.epp.pool.Slots;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ModelListsTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private final Slots slots = new Slots(System::nanoTime);
    private final Pools pools = new Pools(slots);
    private final LoadTable loads = new LoadTable(System::nanoTime);
    private final List<HttpServer> servers = new ArrayList<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<ModelLists.Listing> heard = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        servers.forEach(server -> server.stop(0));
    }

    private void pool(String name, String list) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/models", exchange -> {
            asked.add(name + " " + exchange.getRequestHeaders().getFirst("Authorization"));
            byte[] bytes = list.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        servers.add(server);
        pools.get(name).replace("test", List.of(new Member(name, "default/" + name, server.getAddress(), Map.of())));
    }

    @Test
    void everyEngineIsAskedWhereThereAreSeveralPoolsWithTheTokenOfTheFile() throws IOException {
        slots.watch(loads);
        Path token = Files.writeString(folder.resolve("token"), "secret\n");
        EngineAccess access = new EngineAccess(token);
        try (ModelLists lists = new ModelLists(pools, loads, access::authorization, System::nanoTime, heard::add)) {
            pool("a", "{\"data\":[{\"id\":\"m\",\"max_model_len\":9},{\"id\":\"m-alias\"}]}");
            lists.tick();
            assertThat(asked).as("with one pool nobody needs to know").isEmpty();
            pool("b", "{\"data\":[{\"id\":\"n\"},{\"id\":5},\"odd\"]}");
            lists.tick();
            lists.tick();
            await().atMost(LONG).until(() -> heard.size() == 2);
            assertThat(asked).containsExactlyInAnyOrder("a Bearer secret", "b Bearer secret");
            assertThat(heard)
                    .extracting(ModelLists.Listing::models)
                    .containsExactlyInAnyOrder(
                            Map.of("m", "{\"id\":\"m\",\"max_model_len\":9}", "m-alias", "{\"id\":\"m-alias\"}"),
                            Map.of("n", "{\"id\":\"n\"}"));
        }
    }

    @Test
    void anEngineThatAnswersNonsenseIsNotHeard() throws IOException {
        slots.watch(loads);
        try (ModelLists lists =
                new ModelLists(pools, loads, EngineAccess.OPEN::authorization, System::nanoTime, heard::add)) {
            pool("a", "<html>");
            pool("b", "{\"data\":[{\"id\":\"n\"}]}");
            lists.tick();
            await().atMost(LONG).until(() -> asked.size() == 2 && heard.size() == 1);
            assertThat(heard.getFirst().models()).containsOnlyKeys("n");
        }
    }
}
