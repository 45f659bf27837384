#!/bin/bash
# The control groups of the steps, below those of this container, so that a step that meets its limit ends and
# the engine does not. Memory and processor time are set by Berth with each build, processes here: BERTH_STEP_PIDS.
set -euo pipefail
root=/sys/fs/cgroup
if [ -f "$root/cgroup.controllers" ]; then
  mount -o remount,bind,rw "$root"
  # Version 2 gives controllers to children only where no process sits.
  mkdir -p "$root/init"
  while read -r process; do echo "$process" >"$root/init/cgroup.procs" || true; done <"$root/cgroup.procs"
  sed 's/ / +/g; s/^/+/' <"$root/cgroup.controllers" >"$root/cgroup.subtree_control"
  mkdir -p "$root/docker"
  sed 's/ / +/g; s/^/+/' <"$root/docker/cgroup.controllers" >"$root/docker/cgroup.subtree_control"
  mkdir -p "$root/docker/buildkit"
  echo "$BERTH_STEP_PIDS" >"$root/docker/buildkit/pids.max"
else
  for group in "$root"/*/; do
    [ -L "${group%/}" ] || mount -o remount,bind,rw "${group%/}"
    mkdir -p "${group}docker"
  done
  mkdir -p "$root/pids/docker/buildkit"
  echo "$BERTH_STEP_PIDS" >"$root/pids/docker/buildkit/pids.max"
fi
