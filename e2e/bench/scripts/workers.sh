#!/usr/bin/env bash
# workers.sh: S through a real Envoy ($ENVOY_BIN) with 1, 2 and 4 workers: without a picker, with the echo picker, with ours as
# gateways talk to it (duplex) and as we ship Envoy. Response headers' time of one against the other is what a picker adds.
set -uo pipefail
. "$(dirname "$0")/env.sh"
"$HERE/scripts/fleet.sh" "${PODS:-10}"
trap '"$HERE/scripts/stop.sh" envoy epp fleet' EXIT
for picker in none null ours; do
  case $picker in
    none) modes=none ;;
    null) modes=duplex; "$HERE/scripts/null.sh"; export PICKER_TLS=${PICKER_TLS:-true} ;;
    ours) modes="duplex shipped"; "$HERE/scripts/plainsail.sh" ;;
  esac
  for mode in $modes; do
    for workers in ${WORKERS:-1 2 4}; do
      ENVOY_MODE=$mode ENVOY_WORKERS=$workers "$HERE/scripts/envoy.sh" || continue
      "$HERE/scripts/through-envoy.sh" "$picker-$mode-w$workers" "${ENVOY_ROWS:-^S-}"
      "$HERE/scripts/stop.sh" envoy
    done
  done
  "$HERE/scripts/stop.sh" epp
done
