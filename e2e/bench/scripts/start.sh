#!/usr/bin/env bash
# start.sh: seconds from exec to listening and to ready, CPU seconds until then, memory 15 s later; without and with a cache of loaded
# classes. The cache lies in $RUN.
set -euo pipefail
. "$(dirname "$0")/env.sh"
"$HERE/scripts/fleet.sh" "${PODS:-10}"
trap '"$HERE/scripts/stop.sh" epp fleet' EXIT
once() { # once NAME
  local from to ticks
  from=$(date +%s%3N)
  "$HERE/scripts/plainsail.sh"
  to=$(date +%s%3N)
  ticks=$(sed 's/.*) //' "/proc/$(pid epp)/stat" | awk '{ print $12 + $13 }')
  [ "$1" = training ] || {
    sleep 15
    note "start, $1, $([ -n "$EPP_CORE" ] && echo one core || echo all cores)" "ready after $((to - from)) ms" "CPU $((ticks * 10)) ms" \
      "idle RSS $(awk '/VmRSS/ { print int($2 / 1024) }' "/proc/$(pid epp)/status") MB"
  }
  "$HERE/scripts/stop.sh" epp
}
options=${JAVA_OPTS:-}
JAVA_OPTS="$options -XX:AOTMode=off" once "no cache"
JAVA_OPTS="$options -XX:AOTCacheOutput=$RUN/plainsail-epp.aot" once training
for _ in $(seq 100); do [ -s "$RUN/plainsail-epp.aot" ] && break; sleep 0.2; done
JAVA_OPTS="$options -XX:AOTCache=$RUN/plainsail-epp.aot" once "AOT cache"
