#!/usr/bin/env bash
# scrape.sh [ENGINES]: 1,000 engines with 54 KB of metrics each, scraped each second because a little traffic goes on (1/s).
set -euo pipefail
. "$(dirname "$0")/env.sh"
n=${1:-1000}
"$HERE/scripts/fleet.sh" "$n"
trap '"$HERE/scripts/stop.sh" epp fleet' EXIT
"$HERE/scripts/plainsail.sh"
$(pin "$LOAD_CORE") "$BIN/load" extproc -target "127.0.0.1:$EPP_PORT" -tls="${PICKER_TLS:-true}" -w S -rate 5 -warmup 8s -d "${D:-12s}" -pid "$(pid epp)" \
  -own "$(pid fleet)" -fleet "$FLEET_ADMIN" -label "plainsail scraping $n, S at 5/s" -out "$OUT/plainsail.scrape-$n.json" | tail -n +3
run=$OUT/plainsail.scrape-$n.json
note "scraping $n engines" "$(value "$run" epp_cores '%.3f cores')" "$(value "$run" scrapes_per_pod_per_s '%.2f scrapes an engine and second')" \
  "$(value "$run" foreign_share 'foreign %.1f %%' 100)"
