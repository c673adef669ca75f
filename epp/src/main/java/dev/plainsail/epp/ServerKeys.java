package dev.plainsail.epp;

import dev.plainsail.certs.CertifiedKey;
import dev.plainsail.certs.KeyPairFiles;
import dev.plainsail.certs.KeyPairReload;
import dev.plainsail.certs.ReloadingKeyManager;
import dev.plainsail.certs.UnusableKeyPairException;
import dev.plainsail.certs.authority.Issuer;
import io.grpc.InsecureServerCredentials;
import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How the ext_proc port is secured: with a pair from files, with one made at start, or not at all. */
final class ServerKeys implements AutoCloseable {
    private static final Duration LIFE = Duration.ofDays(3650);

    private final ServerCredentials credentials;
    private final @Nullable KeyPairReload reload;

    private ServerKeys(ServerCredentials credentials, @Nullable KeyPairReload reload) {
        this.credentials = credentials;
        this.reload = reload;
    }

    static ServerKeys of(Settings settings) throws UnusableKeyPairException {
        if (!settings.secureServing()) {
            return new ServerKeys(InsecureServerCredentials.create(), null);
        }
        if (settings.certPath() != null) {
            KeyPairReload reload = KeyPairReload.start(KeyPairFiles.in(settings.certPath()));
            return new ServerKeys(tls(reload.keyManager()), reload);
        }
        CertifiedKey made =
                new Issuer(new SecureRandom()).selfSigned(List.of("plainsail-epp", "localhost"), Instant.now(), LIFE);
        return new ServerKeys(tls(new ReloadingKeyManager(made)), null);
    }

    private static ServerCredentials tls(ReloadingKeyManager keys) {
        return TlsServerCredentials.newBuilder().keyManager(keys).build();
    }

    ServerCredentials credentials() {
        return credentials;
    }

    @Override
    public void close() {
        if (reload != null) {
            reload.close();
        }
    }
}
