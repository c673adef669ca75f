package dev.plainsail.certs;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Serves one key pair that may be replaced at any moment, to the JDK's TLS (Jetty) and to grpc-java's alike.
 * A handshake asks first for an alias, then for the key and the chain of that alias; each replacement is a new alias, and the
 * one before stays answerable, so a handshake that straddles a replacement ends with the pair it began with.
 * Established connections keep what they have.
 */
public final class ReloadingKeyManager extends X509ExtendedKeyManager {
    private record Served(
            long generation, CertifiedKey pair, @Nullable CertifiedKey before) {}

    private volatile Served served;

    public ReloadingKeyManager(CertifiedKey first) {
        served = new Served(0, first, null);
    }

    /** From the next handshake on. The same pair again changes nothing. */
    public synchronized void use(CertifiedKey next) {
        if (!next.equals(served.pair())) {
            served = new Served(served.generation() + 1, next, served.pair());
        }
    }

    public CertifiedKey current() {
        return served.pair();
    }

    private String alias() {
        return Long.toString(served.generation());
    }

    private @Nullable CertifiedKey of(String alias) {
        Served now = served;
        if (alias.equals(Long.toString(now.generation()))) {
            return now.pair();
        }
        return alias.equals(Long.toString(now.generation() - 1)) ? now.before() : null;
    }

    // Every key type gets the one alias: the JDK then compares the algorithms itself and asks for its next type, and
    // BoringSSL does not know a type name for Ed25519 at all.
    @Override
    public String chooseEngineServerAlias(
            @Nullable String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return alias();
    }

    @Override
    public String chooseServerAlias(@Nullable String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return alias();
    }

    @Override
    public String[] getServerAliases(@Nullable String keyType, Principal @Nullable [] issuers) {
        return new String[] {alias()};
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(@Nullable String alias) {
        CertifiedKey pair = alias == null ? null : of(alias);
        return pair == null ? null : pair.chain().toArray(X509Certificate[]::new);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(@Nullable String alias) {
        CertifiedKey pair = alias == null ? null : of(alias);
        return pair == null ? null : pair.key();
    }

    // Never a client.
    @Override
    public String @Nullable [] getClientAliases(@Nullable String keyType, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public @Nullable String chooseClientAlias(
            String @Nullable [] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return null;
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
            String @Nullable [] keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return null;
    }
}
