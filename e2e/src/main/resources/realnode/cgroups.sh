#!/bin/sh
# Waits to be told that the node has ended, then removes what it may have left: control groups named $CGROUP, and $FOLDER.
clean() {
  left=25
  while [ $left -gt 0 ]; do
    found=
    for group in "/sys/fs/cgroup/$CGROUP" /sys/fs/cgroup/*/"$CGROUP"; do
      [ -d "$group" ] || continue
      find "$group" -depth -type d -exec rmdir {} + 2> /dev/null || found=yes
    done
    [ -n "$found" ] || break
    sleep 0.1
    left=$((left - 1))
  done
  rm -rf "$FOLDER"
  exit 0
}
trap clean TERM
while :; do
  sleep 3600 &
  wait $!
done
