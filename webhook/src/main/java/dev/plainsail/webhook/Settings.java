package dev.plainsail.webhook;

import dev.plainsail.certs.KeyPairFiles;
import dev.plainsail.certs.authority.AuthorityPolicy;
import dev.plainsail.webhook.plan.InjectionSettings;
import dev.plainsail.webhook.plan.InjectionSettingsReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * Everything that can be set, read and checked once at the start.
 *
 * @param address where all three servers listen
 * @param unusedTemplateLife how long a claim template stays that no pod uses
 * @param injection what is injected, with defaults for what is not said
 * @param drain how long we go on answering after we were told to stop, so that the Service forgets us first
 */
record Settings(
        InetAddress address,
        int port,
        int healthPort,
        int metricsPort,
        String namespace,
        String lease,
        String configuration,
        Certificates certificates,
        boolean templates,
        Duration unusedTemplateLife,
        Duration drain,
        InjectionSettings injection) {

    /** Where the served certificate comes from. */
    sealed interface Certificates {
        /** From files that somebody else keeps current, such as cert-manager; the caBundle is theirs too. */
        record Files(KeyPairFiles files) implements Certificates {}

        /** From an authority of our own, kept in a Secret; we publish its bundle. */
        record Own(String service, String secret, AuthorityPolicy policy) implements Certificates {}
    }

    sealed interface Read {
        record Accepted(Settings settings) implements Read {}

        record Refused(List<SettingsProblem> problems) implements Read {}
    }

    /** A key of the settings file; {@code --KEY} is its flag. */
    record Key(String key, String fallback, String meaning) {}

    static final List<Key> KEYS = List.of(
            new Key("bind-address", "$POD_IP, else 127.0.0.1", "IP address that all ports are opened on"),
            new Key("port", "8443", "HTTPS port of the webhook"),
            new Key("health-port", "8081", "HTTP port of /healthz and /readyz"),
            new Key("metrics-port", "9090", "HTTP port of /metrics"),
            new Key("configuration", "plainsail", "name of the MutatingWebhookConfiguration that calls us"),
            new Key(
                    "certificate-file",
                    "",
                    "PEM certificates to serve, leaf first; with key-file, instead of our own authority"),
            new Key("key-file", "", "PEM private key that belongs to certificate-file"),
            new Key(
                    "namespace",
                    "$POD_NAMESPACE, else plainsail-system",
                    "our namespace: of the lease, the Service, the Secret"),
            new Key("lease", "plainsail-webhook", "Lease that says which replica writes"),
            new Key(
                    "service",
                    "plainsail-webhook",
                    "own authority: the Service that leads to us; its names are certified"),
            new Key("authority-secret", "plainsail-webhook-authority", "own authority: Secret that keeps it"),
            new Key("authority-life", "365d", "own authority: how long it is valid; renewed at two thirds"),
            new Key(
                    "certificate-life",
                    "30d",
                    "own authority: how long a served certificate is valid; renewed at two thirds"),
            new Key("authority-overlap", "1h", "own authority: how long old and new are both trusted at a change"),
            new Key("templates", "true", "whether to make the claim templates that pods name"),
            new Key("unused-template-life", "24h", "how long a claim template stays that no pod uses"),
            new Key("drain", "5s", "how long requests are still answered after SIGTERM"),
            new Key("injection", "{}", "what is injected; its own keys are listed under \"Injection settings\""));

    static Read read(ObjectNode tree, Map<String, String> environment) {
        SettingsReader reader = new SettingsReader(tree);
        String namespace = reader.name("namespace", environment.getOrDefault("POD_NAMESPACE", "plainsail-system"));
        Settings settings = new Settings(
                reader.address("bind-address", environment.getOrDefault("POD_IP", "127.0.0.1")),
                reader.port("port", 8443),
                reader.port("health-port", 8081),
                reader.port("metrics-port", 9090),
                namespace,
                reader.name("lease", "plainsail-webhook"),
                reader.name("configuration", "plainsail"),
                certificates(reader, namespace),
                reader.flag("templates", true),
                reader.duration("unused-template-life", Duration.ofHours(24)),
                reader.duration("drain", Duration.ofSeconds(5)),
                injection(reader));
        List<SettingsProblem> problems = reader.problems();
        return problems.isEmpty() ? new Read.Accepted(settings) : new Read.Refused(problems);
    }

    private static InjectionSettings injection(SettingsReader reader) {
        return switch (reader.tree("injection")
                .map(InjectionSettingsReader::read)
                .orElse(new InjectionSettingsReader.Read.Accepted(InjectionSettings.defaults()))) {
            case InjectionSettingsReader.Read.Accepted(InjectionSettings settings) -> settings;
            case InjectionSettingsReader.Read.Refused refused -> {
                refused.problems()
                        .forEach(problem ->
                                reader.problem("injection." + problem.path(), problem.badValue(), problem.detail()));
                yield InjectionSettings.defaults();
            }
        };
    }

    private static Certificates certificates(SettingsReader reader, String namespace) {
        Optional<String> certificate = reader.text("certificate-file");
        Optional<String> key = reader.text("key-file");
        String service = reader.name("service", "plainsail-webhook");
        String secret = reader.name("authority-secret", "plainsail-webhook-authority");
        Duration authorityLife = reader.duration("authority-life", Duration.ofDays(365));
        Duration leafLife = reader.duration("certificate-life", Duration.ofDays(30));
        Duration overlap = reader.duration("authority-overlap", Duration.ofHours(1));
        if (certificate.isPresent() != key.isPresent()) {
            reader.problem(
                    certificate.isPresent() ? "key-file" : "certificate-file", "", "is missing; a pair is two files");
        }
        if (certificate.isPresent() && key.isPresent()) {
            return new Certificates.Files(new KeyPairFiles(Path.of(certificate.get()), Path.of(key.get())));
        }
        List<String> names =
                List.of(service + "." + namespace + ".svc", service + "." + namespace + ".svc.cluster.local");
        try {
            return new Certificates.Own(service, secret, new AuthorityPolicy(names, authorityLife, leafLife, overlap));
        } catch (IllegalArgumentException e) {
            reader.problem("authority-overlap", "", String.valueOf(e.getMessage()));
            return new Certificates.Own(service, secret, AuthorityPolicy.of(names));
        }
    }

    InetSocketAddress at(int listenPort) {
        return new InetSocketAddress(address, listenPort);
    }
}
