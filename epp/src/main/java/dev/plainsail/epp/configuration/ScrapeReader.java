package dev.plainsail.epp.configuration;

import dev.plainsail.epp.datalayer.Scraper;
import java.time.Duration;
import java.util.List;

/** How engines are asked for their metrics. */
final class ScrapeReader {
    private static final Duration LEAST_BUSY = Duration.ofSeconds(1);
    private static final Duration LEAST_IDLE = Duration.ofSeconds(5);

    private ScrapeReader() {}

    /** llm-d asks every 50 ms; we never ask more often than once a second, because what we sent we know ourselves. */
    static Scraper.Options source(Parameters p) {
        String scheme = p.text("scheme", "http");
        if (!scheme.equals("http")) {
            p.problem("scheme", "'" + scheme + "': metrics are read over http only");
        }
        String path = p.text("path", "/metrics");
        if (!path.startsWith("/")) {
            p.problem("path", "'" + path + "' does not begin with /");
        }
        Integer port = p.has("port") ? p.whole("port", 1, 1, 65535) : null;
        Duration interval = p.has("interval") ? p.duration("interval", LEAST_BUSY) : LEAST_BUSY;
        p.accepted("port", "interval", "insecureSkipVerify", "caCertPath", "clientCertPath", "clientKeyPath");
        return new Scraper.Options(
                path,
                port,
                interval.compareTo(LEAST_BUSY) < 0 ? LEAST_BUSY : interval,
                interval.compareTo(LEAST_IDLE) < 0 ? LEAST_IDLE : interval,
                Scraper.Options.DEFAULT.timeout());
    }

    static Handler extractor(Parameters p) {
        p.accepted("engineLabelKey", "defaultEngine");
        List<Parameters> engines = p.objects("engineConfigs");
        for (Parameters engine : engines) {
            engine.problem(
                    "", "the engines' metric names are built in; names of your own are not supported yet, remove it");
        }
        return Handler.NOTHING;
    }

    static Handler models(Parameters p) {
        p.accepted("scheme", "path", "insecureSkipVerify", "interval", "port");
        return Handler.NOTHING;
    }
}
