#!/usr/bin/env bash
# jmh.sh [BENCHMARK...]: the JMH suite (BenchmarkPick, BenchmarkPrefixIndex) on $EPP_CORE. Needs `mvn package` and JMH in ~/.m2.
set -euo pipefail
. "$(dirname "$0")/env.sh"
root=$(cd "$HERE/../.." && pwd)
jars=$(find ~/.m2/repository -name 'jmh-core-1*.jar' -o -name 'jopt-simple-5*.jar' -o -name 'commons-math3-3*.jar' | tr '\n' ':')
$(pin "$EPP_CORE") "${JAVA_HOME:+$JAVA_HOME/bin/}java" -cp "$root/epp/target/test-classes:$root/epp/target/classes:$root/epp/target/dist/lib/*:$jars" \
  org.openjdk.jmh.Main -jvmArgs "-XX:+UseSerialGC -Xmx512m" "${@:-Benchmark(Pick|PrefixIndex)}" -rf csv -rff "$RUN/jmh.csv" >"$RUN/jmh.log"
tail -n +2 "$RUN/jmh.csv" | tr -d '"' | while IFS=, read -r name _ _ _ score error unit parameter; do
  note "${name##*epp.} $parameter" "$(printf '%.2f' "$score") ± $(printf '%.2f' "$error") $unit"
done
