package dev.plainsail.epp.configuration;

import dev.plainsail.certs.KeyPairFiles;
import dev.plainsail.certs.UnusableKeyPairException;
import dev.plainsail.epp.datalayer.EngineTrust;
import dev.plainsail.epp.datalayer.Scraper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** How engines are asked for their metrics. */
final class ScrapeReader {
    private static final Duration LEAST_BUSY = Duration.ofSeconds(1);
    private static final Duration LEAST_IDLE = Duration.ofSeconds(5);

    private ScrapeReader() {}

    /** llm-d asks every 50 ms; we never ask more often than once a second, because what we sent we know ourselves. */
    static Scraper.Options source(Parameters p) {
        String scheme = p.text("scheme", "http");
        if (!scheme.equals("http") && !scheme.equals("https")) {
            p.problem("scheme", "'" + scheme + "': write http or https");
        }
        String path = p.text("path", "/metrics");
        if (!path.startsWith("/")) {
            p.problem("path", "'" + path + "' does not begin with /");
        }
        Integer port = p.has("port") ? p.whole("port", 1, 1, 65535) : null;
        Duration interval = p.has("interval") ? p.duration("interval", LEAST_BUSY) : LEAST_BUSY;
        p.accepted("port", "interval");
        SSLContext tls = tls(p, scheme.equals("https"));
        return new Scraper.Options(
                path,
                port,
                interval.compareTo(LEAST_BUSY) < 0 ? LEAST_BUSY : interval,
                interval.compareTo(LEAST_IDLE) < 0 ? LEAST_IDLE : interval,
                Scraper.Options.DEFAULT.timeout(),
                tls,
                List.of());
    }

    /** Read once, at start; as in llm-d, certificates are not verified unless that is asked for. */
    private static @Nullable SSLContext tls(Parameters p, boolean wanted) {
        boolean anybody = p.flag("insecureSkipVerify", true);
        String authorities = p.text("caCertPath", "");
        String certificate = p.text("clientCertPath", "");
        String key = p.text("clientKeyPath", "");
        if (certificate.isEmpty() != key.isEmpty()) {
            p.problem(certificate.isEmpty() ? "clientCertPath" : "clientKeyPath", "give both, or neither");
            return null;
        }
        if (!wanted) {
            return null;
        }
        try {
            return EngineTrust.context(
                    anybody,
                    authorities.isEmpty() ? null : Path.of(authorities),
                    key.isEmpty() ? null : new KeyPairFiles(Path.of(certificate), Path.of(key)));
        } catch (UnusableKeyPairException e) {
            p.problem("caCertPath", String.valueOf(e.getMessage()));
            return null;
        }
    }

    static Handler models(Parameters p) {
        p.accepted("scheme", "path", "insecureSkipVerify", "interval", "port");
        return Handler.NOTHING;
    }
}
