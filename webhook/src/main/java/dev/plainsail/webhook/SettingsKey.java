package dev.plainsail.webhook;

import java.util.Locale;
import java.util.Optional;

/**
 * Everything that can be set: a key of the settings file, {@code --KEY} as its flag. The only place that knows the defaults:
 * reading, {@code --help} and the README's table go by it.
 */
enum SettingsKey {
    BIND_ADDRESS("POD_IP", "127.0.0.1", "IP address that all ports are opened on"),
    PORT("8443", "HTTPS port of the webhook"),
    HEALTH_PORT("8081", "HTTP port of /healthz and /readyz"),
    METRICS_PORT("9090", "HTTP port of /metrics"),
    CONFIGURATION("plainsail", "name of the MutatingWebhookConfiguration that calls us"),
    CERTIFICATE_FILE("", "PEM certificates to serve, leaf first; with key-file, instead of our own authority"),
    KEY_FILE("", "PEM private key that belongs to certificate-file"),
    NAMESPACE("POD_NAMESPACE", "plainsail-system", "our namespace: of the lease, the Service, the Secret"),
    LEASE("plainsail-webhook", "Lease that says which replica writes"),
    SERVICE("plainsail-webhook", "own authority: the Service that leads to us; its names are certified"),
    AUTHORITY_SECRET("plainsail-webhook-authority", "own authority: Secret that keeps it"),
    AUTHORITY_LIFE("365d", "own authority: how long it is valid; renewed at two thirds"),
    CERTIFICATE_LIFE("30d", "own authority: how long a served certificate is valid; renewed at two thirds"),
    AUTHORITY_OVERLAP("1h", "own authority: how long old and new are both trusted at a change"),
    TEMPLATES("true", "whether to make the claim templates that pods name"),
    UNUSED_TEMPLATE_LIFE("24h", "how long a claim template stays that no pod uses"),
    DRAIN("5s", "how long requests are still answered after SIGTERM"),
    INJECTION("{}", "what is injected; its own keys are listed under \"Injection settings\"");

    private final String variable;
    private final String fallback;
    private final String meaning;

    SettingsKey(String fallback, String meaning) {
        this("", fallback, meaning);
    }

    SettingsKey(String variable, String fallback, String meaning) {
        this.variable = variable;
        this.fallback = fallback;
        this.meaning = meaning;
    }

    String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    String meaning() {
        return meaning;
    }

    /** The variable of the environment that holds where neither file nor flag says anything. */
    Optional<String> variable() {
        return Optional.of(variable).filter(name -> !name.isEmpty());
    }

    /** What holds where nothing else does; empty for what has no default. */
    String fallback() {
        return fallback;
    }

    /** The default in words, as {@code $POD_IP, else 127.0.0.1}. */
    String shownDefault() {
        return variable().map(name -> "$" + name + ", else " + fallback).orElse(fallback);
    }
}
