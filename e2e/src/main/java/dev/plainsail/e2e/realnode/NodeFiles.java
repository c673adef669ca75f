package dev.plainsail.e2e.realnode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The settings of a node's programs; everything below one folder. */
record NodeFiles(Path folder, RealNode.Settings settings) {

    /** Where the pause image, which every pod's first container runs, is named. */
    static final String PAUSE = "plainsail.local/pause:1";

    void write() throws IOException {
        for (String name : List.of("log", "kubelet", "pods", "cni", "volumes")) {
            Files.createDirectories(folder.resolve(name));
        }
        Files.writeString(folder.resolve("containerd.toml"), containerd());
        Files.writeString(folder.resolve("cni/10-plainsail.conflist"), network());
        Files.writeString(folder.resolve("resolv.conf"), "nameserver " + settings.address() + "\n");
        Files.writeString(folder.resolve("kubelet.yaml"), kubelet());
        Files.writeString(folder.resolve("kube-proxy.yaml"), kubeProxy());
    }

    /** A Unix socket's path has at most 107 bytes, so the folder must have a short name. */
    Path containerdSocket() {
        return folder.resolve("containerd.sock");
    }

    /** Layers on layers do not work where the folder itself is one, as inside a container. */
    private String snapshotter() throws IOException {
        return Files.getFileStore(folder).type().equals("overlay") ? "native" : "overlayfs";
    }

    private String containerd() throws IOException {
        return """
                version = 3
                root = "%1$s/containerd"
                state = "%1$s/containers"
                [grpc]
                  address = "%1$s/containerd.sock"
                [plugins."io.containerd.internal.v1.opt"]
                  path = "%1$s/opt"
                [plugins."io.containerd.nri.v1.nri"]
                  disable = true
                [plugins."io.containerd.cri.v1.images"]
                  snapshotter = "%2$s"
                [plugins."io.containerd.cri.v1.images".pinned_images]
                  sandbox = "%3$s"
                [plugins."io.containerd.cri.v1.runtime"]
                  # Not every machine lets root make a process less likely to be killed.
                  restrict_oom_score_adj = true
                  enable_cdi = true
                  cdi_spec_dirs = ["/run/cdi"]
                  [plugins."io.containerd.cri.v1.runtime".cni]
                    bin_dirs = ["/usr/lib/cni"]
                    conf_dir = "%1$s/cni"
                """.formatted(folder, snapshotter(), PAUSE);
    }

    private String network() {
        return """
                {"cniVersion":"1.0.0","name":"plainsail","plugins":[
                 {"type":"bridge","bridge":"cni0","isGateway":true,"ipMasq":true,"hairpinMode":true,
                  "ipam":{"type":"host-local","ranges":[[{"subnet":"%s"}]],"routes":[{"dst":"0.0.0.0/0"}],"dataDir":"%s/addresses"}},
                 {"type":"portmap","capabilities":{"portMappings":true},"snat":true}]}
                """.formatted(settings.podRange(), folder);
    }

    private String kubelet() {
        return """
                apiVersion: kubelet.config.k8s.io/v1beta1
                kind: KubeletConfiguration
                address: %1$s
                authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: %2$s/ca.crt}}
                authorization: {mode: Webhook}
                tlsCertFile: %2$s/kubelet.crt
                tlsPrivateKeyFile: %2$s/kubelet.key
                containerRuntimeEndpoint: unix://%3$s
                failCgroupV1: false
                cgroupDriver: cgroupfs
                cgroupRoot: /%4$s
                protectKernelDefaults: true
                failSwapOn: false
                clusterDNS: [%1$s]
                clusterDomain: cluster.local
                resolvConf: %5$s/resolv.conf
                podLogsDir: %5$s/pods
                volumePluginDir: %5$s/volumes
                containerLogMaxSize: 1Mi
                syncFrequency: 10s
                evictionHard: {memory.available: 100Mi, nodefs.available: "2%%", imagefs.available: "2%%"}
                """.formatted(settings.address(), settings.pki(), containerdSocket(), settings.controlGroup(), folder);
    }

    private String kubeProxy() {
        return """
                apiVersion: kubeproxy.config.k8s.io/v1alpha1
                kind: KubeProxyConfiguration
                mode: iptables
                clientConnection: {kubeconfig: %s}
                clusterCIDR: %s
                hostnameOverride: %s
                conntrack: {maxPerCore: 0, min: 0}
                bindAddress: %s
                healthzBindAddress: 127.0.0.1:10256
                metricsBindAddress: 127.0.0.1:10249
                """.formatted(
                        settings.kubeconfig("kube-proxy"), settings.podRange(), settings.name(), settings.address());
    }
}
