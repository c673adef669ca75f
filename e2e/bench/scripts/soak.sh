#!/usr/bin/env bash
# soak.sh [load soak flags]: a fleet of $PODS, our picker with a certificate that is renewed and a configuration that
# changes, and everything at once for $D (20m). Ends with 1 if a stream failed or a booking is left.
set -euo pipefail
. "$(dirname "$0")/env.sh"
mkdir -p "$RUN/pair"
cp "$HERE"/configs/plainsail/*.yaml "$RUN"
cp "$RUN/scorers.yaml" "$RUN/epp.yaml"
"$HERE/scripts/fleet.sh" "${PODS:-10}" -invent=false # an engine that knows of no request ends bookings whose log entry was lost
trap '"$HERE/scripts/stop.sh" epp fleet' EXIT
"$BIN/load" pair "$RUN/pair"
"$HERE/scripts/plainsail.sh" --config-file "$RUN/epp.yaml" --cert-path "$RUN/pair" --enable-cert-reload
"$BIN/load" soak -target "127.0.0.1:$EPP_PORT" -d "${D:-20m}" -endpoints "$RUN/endpoints.yaml" -config "$RUN/epp.yaml,$RUN/wait.yaml" \
  -pair "$RUN/pair" -pid "$(pid epp)" -metrics "http://127.0.0.1:$EPP_METRICS/metrics" "$@"
