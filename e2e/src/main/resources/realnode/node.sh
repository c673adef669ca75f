#!/bin/sh
# The node's first process, in network, mount and process namespaces of its own: when it ends, by whatever cause, the kernel
# ends all that runs in them, and every mount and interface is gone. On the machine itself only the control groups are left,
# which cgroups.sh removes.
#
# FOLDER      all of the node's files        PACKAGES  its programs' tree, laid over /usr here
# ADDRESS     the node's own address         CGROUP    the name of its control groups
# BRIDGE, KUBELET, KUBE_PROXY                commands, as shell words
set -eu

mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=$PACKAGES/usr:/usr" /usr
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /var/log
mkdir -p /run/netns /run/cdi /run/containerd
mount --make-rshared /

# Settings of the whole kernel that the kubelet insists on: it is shown files in their place.
fake() { # fake NAME VALUE
  file=$FOLDER/sysctl-$(echo "$1" | tr / -)
  echo "$2" > "$file"
  mount --bind "$file" "/proc/sys/$1"
}
fake vm/overcommit_memory 1
fake vm/panic_on_oom 0
fake kernel/panic 10
fake kernel/panic_on_oops 1
fake kernel/keys/root_maxkeys 1000000
fake kernel/keys/root_maxbytes 25000000

# A pair of interfaces that leads nowhere, so that Service addresses have a route.
ip link set lo up
ip link add node0 type veth peer name node1
ip addr add "$ADDRESS/24" dev node0
ip link set node0 up
ip link set node1 up
ip route add default dev node0
echo 1 > /proc/sys/net/ipv4/ip_forward

if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  mkdir -p "/sys/fs/cgroup/$CGROUP"
  for controller in cpuset cpu io memory pids; do
    echo "+$controller" > /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null || true
  done
else
  for hierarchy in cpu cpuacct cpuset memory devices freezer blkio pids systemd; do
    [ ! -d "/sys/fs/cgroup/$hierarchy" ] || mkdir -p "/sys/fs/cgroup/$hierarchy/$CGROUP"
  done
  for file in cpus mems; do
    cat "/sys/fs/cgroup/cpuset/cpuset.$file" > "/sys/fs/cgroup/cpuset/$CGROUP/cpuset.$file"
  done
fi

daemons=
start() { # start NAME COMMAND...
  name=$1
  shift
  "$@" > "$FOLDER/log/$name.log" 2>&1 < /dev/null &
  daemons="$daemons $!:$name"
}
check() {
  for daemon in $daemons; do
    kill -0 "${daemon%%:*}" 2> /dev/null || {
      echo "${daemon#*:} ended by itself; the end of its log:"
      tail -n 12 "$FOLDER/log/${daemon#*:}.log"
      exit 1
    }
  done
}

# shellcheck disable=SC2086
start bridge $BRIDGE
start containerd containerd --config "$FOLDER/containerd.toml"
until ctr --address "$FOLDER/containerd.sock" version > /dev/null 2>&1; do
  check
  sleep 0.2
done
# shellcheck disable=SC2086
start kubelet $KUBELET
# shellcheck disable=SC2086
start kube-proxy $KUBE_PROXY
while sleep 1; do check; done
