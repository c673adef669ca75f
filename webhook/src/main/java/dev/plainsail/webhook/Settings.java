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

    static Read read(ObjectNode tree, Map<String, String> environment) {
        SettingsReader reader = new SettingsReader(tree, environment);
        String namespace = reader.name(SettingsKey.NAMESPACE);
        Settings settings = new Settings(
                reader.address(SettingsKey.BIND_ADDRESS),
                reader.port(SettingsKey.PORT),
                reader.port(SettingsKey.HEALTH_PORT),
                reader.port(SettingsKey.METRICS_PORT),
                namespace,
                reader.name(SettingsKey.LEASE),
                reader.name(SettingsKey.CONFIGURATION),
                certificates(reader, namespace),
                reader.flag(SettingsKey.TEMPLATES),
                reader.duration(SettingsKey.UNUSED_TEMPLATE_LIFE),
                reader.duration(SettingsKey.DRAIN),
                injection(reader));
        List<SettingsProblem> problems = reader.problems();
        return problems.isEmpty() ? new Read.Accepted(settings) : new Read.Refused(problems);
    }

    private static InjectionSettings injection(SettingsReader reader) {
        return switch (reader.tree(SettingsKey.INJECTION)
                .map(InjectionSettingsReader::read)
                .orElse(new InjectionSettingsReader.Read.Accepted(InjectionSettings.defaults()))) {
            case InjectionSettingsReader.Read.Accepted(InjectionSettings settings) -> settings;
            case InjectionSettingsReader.Read.Refused refused -> {
                refused.problems()
                        .forEach(problem -> reader.problem(
                                SettingsKey.INJECTION.key() + "." + problem.path(),
                                problem.badValue(),
                                problem.detail()));
                yield InjectionSettings.defaults();
            }
        };
    }

    private static Certificates certificates(SettingsReader reader, String namespace) {
        Optional<String> certificate = reader.text(SettingsKey.CERTIFICATE_FILE);
        Optional<String> key = reader.text(SettingsKey.KEY_FILE);
        String service = reader.name(SettingsKey.SERVICE);
        String secret = reader.name(SettingsKey.AUTHORITY_SECRET);
        Duration authorityLife = reader.duration(SettingsKey.AUTHORITY_LIFE);
        Duration leafLife = reader.duration(SettingsKey.CERTIFICATE_LIFE);
        Duration overlap = reader.duration(SettingsKey.AUTHORITY_OVERLAP);
        if (certificate.isPresent() != key.isPresent()) {
            SettingsKey missing = certificate.isPresent() ? SettingsKey.KEY_FILE : SettingsKey.CERTIFICATE_FILE;
            reader.problem(missing.key(), "", "is missing; a pair is two files");
        }
        if (certificate.isPresent() && key.isPresent()) {
            return new Certificates.Files(new KeyPairFiles(Path.of(certificate.get()), Path.of(key.get())));
        }
        List<String> names =
                List.of(service + "." + namespace + ".svc", service + "." + namespace + ".svc.cluster.local");
        try {
            return new Certificates.Own(service, secret, new AuthorityPolicy(names, authorityLife, leafLife, overlap));
        } catch (IllegalArgumentException e) {
            reader.problem(SettingsKey.AUTHORITY_OVERLAP.key(), "", String.valueOf(e.getMessage()));
            return new Certificates.Own(service, secret, AuthorityPolicy.of(names));
        }
    }

    InetSocketAddress at(int listenPort) {
        return new InetSocketAddress(address, listenPort);
    }
}
