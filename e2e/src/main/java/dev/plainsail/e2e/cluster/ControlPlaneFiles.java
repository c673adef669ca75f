package dev.plainsail.e2e.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

/** The control plane's certificates, kubeconfigs and command lines; everything below one folder. */
record ControlPlaneFiles(Path folder, ClusterNetwork net, X509Certificate authority, Pki.Pair kubelet) {

    private static final int API_PORT = 6443;

    static ControlPlaneFiles write(Path folder, ClusterNetwork net, Instant now) throws IOException {
        Path pki = Files.createDirectories(folder.resolve("pki"));
        Pki cluster = new Pki("plainsail-cluster", now);
        Pki front = new Pki("plainsail-front-proxy", now);
        cluster.authority().write(pki, "ca");
        front.authority().write(pki, "front-ca");
        front.issue("CN=front-proxy-client", List.of()).write(pki, "front");
        cluster.issue("CN=kube-apiserver", serverNames(net)).write(pki, "apiserver");
        cluster.issue("O=system:masters,CN=apiserver-kubelet-client", List.of()).write(pki, "apiserver-kubelet");
        Pki.Pair kubelet = cluster.issue("CN=kubelet", net.kubelets());
        KeyPair accounts = Pki.newKeys();
        Pki.writeSecret(pki.resolve("accounts.key"), Pki.keyPem(accounts));
        Files.writeString(
                pki.resolve("accounts.pub"),
                Pki.pem("PUBLIC KEY", accounts.getPublic().getEncoded()));
        ControlPlaneFiles files =
                new ControlPlaneFiles(folder, net, cluster.authority().certificate(), kubelet);
        Kubeconfig config = new Kubeconfig(files.server(), cluster.authority().certificatePem());
        Pki.writeSecret(files.adminKubeconfig(), config.of(cluster.issue("O=system:masters,CN=admin", List.of())));
        for (String part : List.of("kube-controller-manager", "kube-scheduler")) {
            Pki.writeSecret(
                    folder.resolve(part + ".kubeconfig"), config.of(cluster.issue("CN=system:" + part, List.of())));
        }
        Files.writeString(folder.resolve("egress.yaml"), egress(files.egressSocket()));
        if (net.node().isPresent()) {
            files.writeNode(net.node().get(), cluster);
        }
        return files;
    }

    /** What the node's programs need: the kubelet's pair, and kubeconfigs that name the API server as it is seen from there. */
    private void writeNode(ClusterNetwork.Node node, Pki cluster) throws IOException {
        kubelet.write(folder.resolve("pki"), "kubelet");
        Kubeconfig config = new Kubeconfig(
                "https://" + node.address() + ":" + API_PORT,
                cluster.authority().certificatePem());
        Pki.writeSecret(
                folder.resolve("kubelet.kubeconfig"),
                config.of(cluster.issue("O=system:nodes,CN=system:node:" + node.name(), List.of())));
        Pki.writeSecret(
                folder.resolve("kube-proxy.kubeconfig"), config.of(cluster.issue("CN=system:kube-proxy", List.of())));
    }

    private static List<String> serverNames(ClusterNetwork net) {
        return List.of(
                net.controlPlane(),
                net.kubernetesService(),
                net.node().map(ClusterNetwork.Node::address).orElse("127.0.0.1"),
                "localhost",
                "kubernetes",
                "kubernetes.default",
                "kubernetes.default.svc",
                "kubernetes.default.svc.cluster.local");
    }

    /** What the API server sends into the cluster goes to our proxy; url-form webhooks are dialled directly. */
    private static String egress(Path socket) {
        return """
                apiVersion: apiserver.k8s.io/v1beta1
                kind: EgressSelectorConfiguration
                egressSelections:
                - name: cluster
                  connection: {proxyProtocol: HTTPConnect, transport: {uds: {udsName: %s}}}
                - name: controlplane
                  connection: {proxyProtocol: Direct}
                """.formatted(socket);
    }

    String server() {
        return "https://" + net.controlPlane() + ":" + API_PORT;
    }

    String authorityPem() {
        return Pki.pem(authority);
    }

    int apiPort() {
        return API_PORT;
    }

    Path adminKubeconfig() {
        return folder.resolve("kubeconfig");
    }

    /** A Unix socket's path has at most 107 bytes, so the cluster's folder must have a short name. */
    Path egressSocket() {
        return folder.resolve("egress.sock");
    }

    private String pki(String file) {
        return folder.resolve("pki").resolve(file).toString();
    }

    List<String> etcd() {
        String client = "http://" + net.controlPlane() + ":2379";
        String peer = "http://" + net.controlPlane() + ":2380";
        return List.of(
                "--data-dir=" + folder.resolve("etcd"),
                "--unsafe-no-fsync",
                "--listen-client-urls=" + client,
                "--advertise-client-urls=" + client,
                "--listen-peer-urls=" + peer,
                "--initial-advertise-peer-urls=" + peer,
                "--initial-cluster=default=" + peer,
                "--log-level=warn");
    }

    List<String> apiServer() {
        return List.of(
                "--etcd-servers=http://" + net.controlPlane() + ":2379",
                "--bind-address=" + net.controlPlane(),
                "--secure-port=" + API_PORT,
                // Loopback is refused here. With a real node this is the API server's address as seen from it. Without
                // one it is from
                // a range that exists nowhere, and nothing uses it, because the reconciler that would publish it is
                // off.
                "--advertise-address="
                        + net.node().map(ClusterNetwork.Node::address).orElse("192.0.2.1"),
                "--endpoint-reconciler-type=" + (net.node().isPresent() ? "lease" : "none"),
                "--service-cluster-ip-range=" + net.serviceRange(),
                "--tls-cert-file=" + pki("apiserver.crt"),
                "--tls-private-key-file=" + pki("apiserver.key"),
                "--client-ca-file=" + pki("ca.crt"),
                "--authorization-mode=Node,RBAC",
                "--allow-privileged=true",
                "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
                "--service-account-signing-key-file=" + pki("accounts.key"),
                "--service-account-key-file=" + pki("accounts.pub"),
                "--requestheader-client-ca-file=" + pki("front-ca.crt"),
                "--requestheader-allowed-names=front-proxy-client",
                "--requestheader-username-headers=X-Remote-User",
                "--requestheader-group-headers=X-Remote-Group",
                "--requestheader-extra-headers-prefix=X-Remote-Extra-",
                "--proxy-client-cert-file=" + pki("front.crt"),
                "--proxy-client-key-file=" + pki("front.key"),
                "--kubelet-client-certificate=" + pki("apiserver-kubelet.crt"),
                "--kubelet-client-key=" + pki("apiserver-kubelet.key"),
                "--kubelet-certificate-authority=" + pki("ca.crt"),
                "--kubelet-preferred-address-types=InternalIP",
                "--egress-selector-config-file=" + folder.resolve("egress.yaml"),
                "--profiling=false");
    }

    List<String> controllerManager() {
        return List.of(
                "--kubeconfig=" + folder.resolve("kube-controller-manager.kubeconfig"),
                "--authentication-kubeconfig=" + folder.resolve("kube-controller-manager.kubeconfig"),
                "--authorization-kubeconfig=" + folder.resolve("kube-controller-manager.kubeconfig"),
                "--bind-address=" + net.controlPlane(),
                "--secure-port=10257",
                "--leader-elect=false",
                "--use-service-account-credentials=true",
                "--service-account-private-key-file=" + pki("accounts.key"),
                "--root-ca-file=" + pki("ca.crt"),
                "--cluster-signing-cert-file=" + pki("ca.crt"),
                "--cluster-signing-key-file=" + pki("ca.key"),
                "--kube-api-qps=200",
                "--kube-api-burst=400");
    }

    List<String> scheduler() {
        return List.of(
                "--kubeconfig=" + folder.resolve("kube-scheduler.kubeconfig"),
                "--authentication-kubeconfig=" + folder.resolve("kube-scheduler.kubeconfig"),
                "--authorization-kubeconfig=" + folder.resolve("kube-scheduler.kubeconfig"),
                "--bind-address=" + net.controlPlane(),
                "--secure-port=10259",
                "--leader-elect=false");
    }
}
