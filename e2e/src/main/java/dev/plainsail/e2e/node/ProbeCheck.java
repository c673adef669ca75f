package dev.plainsail.e2e.node;

import dev.plainsail.e2e.process.ChildProcess;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.HTTPHeader;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Probe;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** One look at a container, as its probe describes it. Blocks up to the probe's timeout. */
final class ProbeCheck {

    private final Container container;
    private final Probe probe;
    private final String podIp;
    private final HttpClient http;
    private final Function<List<String>, ChildProcess.Spec> inContainer;

    /** @param inContainer how to run a command with the container's environment */
    ProbeCheck(
            Container container,
            Probe probe,
            String podIp,
            HttpClient http,
            Function<List<String>, ChildProcess.Spec> inContainer) {
        this.container = container;
        this.probe = probe;
        this.podIp = podIp;
        this.http = http;
        this.inContainer = inContainer;
    }

    Duration timeout() {
        return Duration.ofSeconds(probe.getTimeoutSeconds() == null ? 1 : probe.getTimeoutSeconds());
    }

    /** Why it failed; empty when it passed. */
    Optional<String> run() throws InterruptedException {
        try {
            if (probe.getHttpGet() != null) {
                return get(probe.getHttpGet());
            }
            if (probe.getTcpSocket() != null) {
                String host = probe.getTcpSocket().getHost();
                return connect(
                        host == null ? podIp : host, port(probe.getTcpSocket().getPort()));
            }
            if (probe.getGrpc() != null) {
                return GrpcHealth.check(
                        podIp, probe.getGrpc().getPort(), probe.getGrpc().getService(), timeout());
            }
            return probe.getExec() == null
                    ? Optional.empty()
                    : exec(probe.getExec().getCommand());
        } catch (ConnectException e) {
            return Optional.of("connection refused"); // the JDK's client gives no message
        } catch (IOException | IllegalArgumentException e) {
            return Optional.of(e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage());
        }
    }

    private Optional<String> get(HTTPGetAction action) throws IOException, InterruptedException {
        String scheme = action.getScheme() == null ? "http" : action.getScheme().toLowerCase(Locale.ROOT);
        String host = action.getHost() == null || action.getHost().isEmpty() ? podIp : action.getHost();
        String path = action.getPath() == null ? "/" : action.getPath();
        URI uri = URI.create(
                scheme + "://" + host + ":" + port(action.getPort()) + (path.startsWith("/") ? "" : "/") + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .timeout(timeout())
                .header("User-Agent", "kube-probe/1.36")
                .GET();
        for (HTTPHeader header : action.getHttpHeaders()) {
            if (!header.getName().equalsIgnoreCase("host")) { // the JDK's client sets it from the address
                request.setHeader(header.getName(), header.getValue());
            }
        }
        int status = http.send(request.build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
        return status >= 200 && status < 400
                ? Optional.empty()
                : Optional.of("HTTP probe failed with statuscode: " + status);
    }

    private Optional<String> connect(String host, int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), (int) timeout().toMillis());
            return Optional.empty();
        }
    }

    private Optional<String> exec(List<String> command) throws IOException, InterruptedException {
        ChildProcess child = ChildProcess.start(inContainer.apply(command));
        try {
            if (!child.waitFor(timeout())) {
                return Optional.of("command timed out after " + timeout().toSeconds() + " s");
            }
        } finally {
            child.kill();
        }
        int code = child.exitCode();
        return code == 0 ? Optional.empty() : Optional.of("command exited with " + code + ": " + child.logTail(3));
    }

    private int port(IntOrString port) throws IOException {
        if (port.getStrVal() == null) {
            return port.getIntVal();
        }
        return container.getPorts().stream()
                .filter(p -> port.getStrVal().equals(p.getName()))
                .map(ContainerPort::getContainerPort)
                .findFirst()
                .orElseThrow(() -> new IOException("the container has no port called " + port.getStrVal()));
    }
}
