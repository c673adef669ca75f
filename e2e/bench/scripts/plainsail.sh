#!/usr/bin/env bash
# plainsail.sh [flags]: starts Plainsail's picker ($PICKER_HOME, a folder with bin/ and lib/) with the endpoints of
# $RUN/endpoints.yaml, on $EPP_CORE. JAVA_OPTS may be set; without it the options are those that users get. PICKER_TLS=false: plaintext.
set -euo pipefail
. "$(dirname "$0")/env.sh"
PICKER_HOME=${PICKER_HOME:-$HERE/../../epp/target/dist}
$(pin "$EPP_CORE") "$PICKER_HOME/bin/plainsail-epp" --endpoints-file "$RUN/endpoints.yaml" --grpc-port "$EPP_PORT" \
  --grpc-health-port "$EPP_HEALTH" --metrics-port "$EPP_METRICS" --secure-serving="${PICKER_TLS:-true}" "$@" >"$RUN/epp.log" 2>&1 &
echo $! >"$RUN/epp.pid"
wait_port "127.0.0.1:$EPP_PORT" 120
for _ in $(seq 300); do # synced and warm
  curl -fs "http://127.0.0.1:$EPP_METRICS/readyz" >/dev/null && exit 0
  sleep 0.1
done
echo "the picker did not get ready" >&2; exit 1
