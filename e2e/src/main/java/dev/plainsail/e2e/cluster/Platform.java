package dev.plainsail.e2e.cluster;

import dev.plainsail.e2e.UserError;

/** The machine's architecture, in the words of Kubernetes' release files. */
record Platform(String architecture) {

    static Platform current() {
        return of(System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    static Platform of(String system, String architecture) {
        String word = switch (architecture) {
            case "amd64", "x86_64" -> "amd64";
            case "aarch64", "arm64" -> "arm64";
            default -> "";
        };
        if (!system.equals("Linux") || word.isEmpty()) {
            throw new UserError("the local cluster runs on Linux x86-64 and arm64, and this is " + system + " "
                    + architecture + ": set PLAINSAIL_CLUSTER=existing and KUBECONFIG to use a cluster of yours");
        }
        return new Platform(word);
    }
}
