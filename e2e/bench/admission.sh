#!/usr/bin/env bash
# admission.sh [OPTIONS]: the packaged webhook, on one core, asked over HTTPS by another; --help says what can be chosen.
# Needs `mvn package`, a JDK >= 25, taskset. Takes about a minute for each round of each set of JVM flags.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
exec taskset -c "${LOAD_CORE:-1}" "$java" -XX:+UseSerialGC -Xmx512m -cp "$root/e2e/target/dist/lib/*" \
  dev.plainsail.e2e.bench.admission.AdmissionBench \
  --webhook "$root/webhook/target/dist/bin/plainsail-webhook" \
  --pod "$root/webhook/src/test/resources/golden/pods/large-as-the-api-server-sends-it/input.yaml" "$@"
