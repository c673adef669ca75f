#!/usr/bin/env bash
# beside.sh: S at 100/s alone, and again while X (430 KB) is kept busy at 5/s: what big requests do to small ones.
set -euo pipefail
. "$(dirname "$0")/env.sh"
"$HERE/scripts/fleet.sh" "${PODS:-10}"
other=
trap '[ -z "$other" ] || kill "$other"; "$HERE/scripts/stop.sh" epp fleet' EXIT
"$HERE/scripts/plainsail.sh"
row() { # row NAME FLAGS...: one run of the harness
  $(pin "$LOAD_CORE") "$BIN/load" extproc -target "127.0.0.1:$EPP_PORT" -tls="${PICKER_TLS:-true}" -pid "$(pid epp)" -own "$(pid fleet)${other:+,$other}" \
    -label "plainsail $1" -out "$OUT/plainsail.$1.json" "${@:2}" | tail -n +3
}
row S-warm-up -w S -inflight 16 -warmup 1s -d 4s
row S-alone-r100 -w S -rate 100 -d "${D:-12s}"
$(pin "$LOAD_CORE") "$BIN/load" extproc -target "127.0.0.1:$EPP_PORT" -tls="${PICKER_TLS:-true}" -w X -rate 5 -d 600s >"$RUN/beside.txt" 2>&1 &
other=$!
row S-beside-X-r100 -w S -rate 100 -warmup 3s -d "${D:-12s}"
