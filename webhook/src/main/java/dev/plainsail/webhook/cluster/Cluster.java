package dev.plainsail.webhook.cluster;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connection to the API server: in a pod by its service account, elsewhere by KUBECONFIG. */
public final class Cluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);
    private static final String DEVICES = "/apis/resource.k8s.io/v1";

    private static final int IMPATIENT_MILLIS = 3000;

    private final KubernetesClient client;
    private final KubernetesClient impatient;
    private final ApiRequests requests;

    private Cluster(KubernetesClient client, KubernetesClient impatient, ApiRequests requests) {
        this.client = client;
        this.impatient = impatient;
        this.requests = requests;
    }

    public static Cluster connect() {
        Config impatient = Config.autoConfigure(null);
        impatient.setRequestTimeout(IMPATIENT_MILLIS);
        impatient.setRequestRetryBackoffLimit(0);
        ApiRequests requests = new ApiRequests();
        return new Cluster(
                new KubernetesClientBuilder()
                        .withHttpClientBuilderConsumer(requests::count)
                        .build(),
                new KubernetesClientBuilder()
                        .withConfig(impatient)
                        .withHttpClientBuilderConsumer(requests::count)
                        .build(),
                requests);
    }

    static Cluster of(KubernetesClient client) {
        return new Cluster(client, client, new ApiRequests());
    }

    /** How often the API server was asked, by verb. */
    public ApiRequests requests() {
        return requests;
    }

    KubernetesClient client() {
        return client;
    }

    /** One that tries once and soon gives up, for requests whose answer is worth nothing later. */
    KubernetesClient impatientClient() {
        return impatient;
    }

    /**
     * Waits for the API server, then makes sure that it knows device claims as we write them.
     *
     * @param patience how long an unreachable API server is asked again, once a second
     */
    public void requireDeviceClaims(Duration patience) throws ClusterProblemException, InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            try {
                if (serves(DEVICES)) {
                    return;
                }
                throw new ClusterProblemException("this cluster (Kubernetes "
                        + client.getKubernetesVersion().getGitVersion()
                        + ") does not serve resource.k8s.io/v1; Plainsail needs Kubernetes 1.34 or newer");
            } catch (KubernetesClientException e) {
                if (System.nanoTime() - deadline >= 0) {
                    throw new ClusterProblemException(
                            "the API server at " + client.getMasterUrl() + " does not answer: " + said(e));
                }
                LOG.atWarn()
                        .setMessage("waiting for the API server")
                        .addKeyValue("url", client.getMasterUrl())
                        .addKeyValue("reason", said(e))
                        .log();
                Thread.sleep(1000);
            }
        }
    }

    private boolean serves(String path) {
        try {
            return client.raw(path) != null;
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return false;
            }
            throw e;
        }
    }

    /** What the API server or the network said, in one line. */
    static String said(KubernetesClientException e) {
        if (e.getStatus() != null && e.getStatus().getMessage() != null) {
            return e.getStatus().getMessage();
        }
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
            if (cause instanceof ConnectException && cause.getMessage() == null) {
                return "no connection";
            }
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    @Override
    public void close() {
        client.close();
        impatient.close();
    }
}
