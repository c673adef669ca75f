package dev.plainsail.e2e.certificates;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.picker.PickerProcess;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The picker's certificate changes through the forms of key that Envoy knows while streams run on a connection that stays and on new ones: not one
 * fails, and every certificate is met by a handshake. CASES CRT-01, CRT-05.
 */
class PickerRotationIT {
    private static final int PER_SECOND = Integer.getInteger("plainsail.rotation.rate", 200);
    /** The files are looked at once a second, and a change is taken at the second look. */
    private static final Duration EACH = Duration.ofSeconds(5);

    private static final int AT_ONCE = 64;
    /** Without Ed25519, which BoringSSL, and so Envoy, does not offer as a client. */
    private static final Set<MountedPair.Form> FORMS = EnumSet.complementOf(EnumSet.of(MountedPair.Form.ED25519_PKCS8));

    @TempDir
    private Path folder;

    private final AtomicInteger picked = new AtomicInteger();
    private final Set<String> failures = ConcurrentHashMap.newKeySet();
    private final Set<Long> seen = ConcurrentHashMap.newKeySet();

    @Test
    void noStreamFailsWhileTheCertificateChangesThroughTheFormsOfKeyThatEnvoyKnows() throws Exception {
        MountedPair pair = new MountedPair(Files.createDirectory(folder.resolve("tls")));
        pair.swap(MountedPair.Form.RSA_PKCS1);
        InetSocketAddress endpoint = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);
        try (PickerProcess picker = PickerProcess.start(folder, List.of(endpoint), 0, "--cert-path=" + pair.folder());
                PickerStreams kept = new PickerStreams(picker.port(), seen)) {
            long start = System.nanoTime();
            for (MountedPair.Form form : FORMS) {
                long serial = pair.swap(form).getSerialNumber().longValue();
                load(kept, picker.port(), System.nanoTime() + EACH.toNanos(), serial);
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            System.out.printf(
                    "%d streams in %.0f s (%.0f/s), %d certificates met, failures: %s%n",
                    picked.get(), seconds, picked.get() / seconds, seen.size(), failures);
            assertThat(failures).isEmpty();
            assertThat(seen).hasSizeGreaterThanOrEqualTo(FORMS.size());
            assertThat(picked.get()).as("enough to have met a failure").isGreaterThan(20 * FORMS.size());
        }
    }

    /** At least until that time, and until a handshake has met the certificate. */
    private void load(PickerStreams kept, int port, long untilNanos, long serial) throws InterruptedException {
        Semaphore free = new Semaphore(AT_ONCE);
        long next = System.nanoTime();
        long patience = untilNanos + Duration.ofMinutes(2).toNanos();
        for (int i = 0; System.nanoTime() < untilNanos || !seen.contains(serial); i++) {
            assertThat(System.nanoTime())
                    .as("waiting for certificate %d, met %s", serial, seen)
                    .isLessThan(patience);
            next = Math.max(next + 1_000_000_000L / PER_SECOND, System.nanoTime() - 100_000_000L);
            TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
            free.acquire();
            if (i % 20 == 0) {
                PickerStreams fresh = new PickerStreams(port, seen);
                var ignored = fresh.pick().whenComplete((answer, error) -> {
                    ended(answer, free);
                    fresh.close();
                });
            } else {
                var ignored = kept.pick().whenComplete((answer, error) -> ended(answer, free));
            }
        }
        free.acquire(AT_ONCE);
    }

    private void ended(PickerStreams.Answer answer, Semaphore free) {
        if (answer.isPicked()) {
            picked.incrementAndGet();
        } else {
            failures.add(answer.toString());
        }
        free.release();
    }
}
