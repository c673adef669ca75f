package dev.plainsail.e2e.cluster;

import com.github.dockerjava.api.exception.NotFoundException;
import dev.plainsail.e2e.process.Trees;
import dev.plainsail.e2e.realnode.Unavailable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.k3s.K3sContainer;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.MountableFile;

/**
 * A cluster of k3s in a Docker container. Nothing is pulled for it: where the daemon or the image is missing there is none, and
 * the reason is one line. It ends with {@code close}, and with this JVM by Testcontainers' own watcher.
 */
public final class K3s implements AutoCloseable {
    static final String DEFAULT_IMAGE = "rancher/k3s:v1.36.3-k3s1";
    private static final String IMAGE_VARIABLE = "PLAINSAIL_K3S_IMAGE";
    /** What lies there when k3s starts is loaded into its containerd. */
    private static final String IMAGES_FOLDER = "/var/lib/rancher/k3s/agent/images/";

    private final K3sContainer container;
    private final Path folder;
    private final LocalCluster cluster;

    private K3s(K3sContainer container, Path folder, LocalCluster cluster) {
        this.container = container;
        this.folder = folder;
        this.cluster = cluster;
    }

    /** @param images archives of images that the cluster is to have, as {@code docker save} writes them */
    public static K3s start(Map<String, String> environment, List<Path> images) throws Unavailable, IOException {
        DockerImageName image = image(environment);
        demand(image);
        K3sContainer container = new K3sContainer(image).withImagePullPolicy(name -> false);
        for (int i = 0; i < images.size(); i++) {
            container.withCopyFileToContainer(
                    MountableFile.forHostPath(images.get(i)), IMAGES_FOLDER + "image-" + i + ".tar");
        }
        Path folder = Files.createTempDirectory("plainsail-k3s-");
        try {
            container.start();
            Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), container.getKubeConfigYaml());
            return new K3s(container, folder, LocalCluster.start(asExisting(environment, kubeconfig)));
        } catch (IOException | RuntimeException e) {
            container.stop();
            Trees.delete(folder);
            throw e;
        }
    }

    static DockerImageName image(Map<String, String> environment) {
        return DockerImageName.parse(environment.getOrDefault(IMAGE_VARIABLE, DEFAULT_IMAGE))
                .asCompatibleSubstituteFor("rancher/k3s");
    }

    /** How a cluster that others started is named to {@link LocalCluster}. */
    static Map<String, String> asExisting(Map<String, String> environment, Path kubeconfig) {
        Map<String, String> existing = new HashMap<>(environment);
        existing.put("PLAINSAIL_CLUSTER", "existing");
        existing.put("KUBECONFIG", kubeconfig.toString());
        return existing;
    }

    private static void demand(DockerImageName image) throws Unavailable {
        if (!DockerClientFactory.instance().isDockerAvailable()) {
            throw new Unavailable("k3s needs a Docker daemon, and Testcontainers finds none");
        }
        try {
            DockerClientFactory.instance()
                    .client()
                    .inspectImageCmd(image.asCanonicalNameString())
                    .exec();
        } catch (NotFoundException e) {
            throw new Unavailable("the Docker daemon has no image " + image.asCanonicalNameString() + ": docker pull "
                    + image.asCanonicalNameString() + ", or name one that it has in " + IMAGE_VARIABLE);
        }
    }

    public LocalCluster cluster() {
        return cluster;
    }

    @Override
    public void close() throws IOException {
        cluster.close();
        container.stop();
        Trees.delete(folder);
    }
}
