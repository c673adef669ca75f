#!/usr/bin/env bash
# silent.sh [N]: what N (10000) open silent streams take of the picker's heap, after a collection before and while they are open.
set -euo pipefail
. "$(dirname "$0")/env.sh"
n=${1:-10000}
jcmd=${JAVA_HOME:+$JAVA_HOME/bin/}jcmd
heap() { # KB in use
  "$jcmd" "$(pid epp)" GC.run >/dev/null
  "$jcmd" "$(pid epp)" GC.heap_info | sed '/Metaspace/,$d' | sed -n 's/.*[ ,]used \([0-9]*\)K.*/\1/p' | awk '{ sum += $1 } END { print sum }'
}
"$HERE/scripts/fleet.sh" "${PODS:-10}"
trap '"$HERE/scripts/stop.sh" epp fleet' EXIT
"$HERE/scripts/plainsail.sh"
before=$(heap)
"$BIN/load" silent -target "127.0.0.1:$EPP_PORT" -tls="${PICKER_TLS:-true}" -n "$n" -hold 20s -pid "$(pid epp)" >"$RUN/silent.txt" &
load=$!
until grep -q ^open "$RUN/silent.txt"; do kill -0 $load; sleep 0.2; done
during=$(heap)
wait $load
cat "$RUN/silent.txt"
echo "heap in use $before KB -> $during KB: $(((during - before) * 1024 / n)) bytes a stream"
