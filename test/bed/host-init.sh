#!/bin/bash
# The first program inside a bed host's namespaces: gives the host its own root and stays as long as the host lives.
# From the environment: BED_ROOT (where to mount the new root), BED_LOWER, BED_UPPER, BED_WORK (overlayfs),
# BED_BINDS (lines "source target", and "ro" for what may only be read), BED_PROJECT (the checkout, shown read-only at /opt/project; empty: not at all), BED_CGROUPS (lines "mount-point-name options" for version 1, empty for 2), BED_NAME.
set -euo pipefail

mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=$BED_LOWER,upperdir=$BED_UPPER,workdir=$BED_WORK" "$BED_ROOT"
cd "$BED_ROOT"
# A shell that sshd starts reads it, and a machine's own may start a dozen programs for each command over SSH.
if [ -s root/.bashrc ]; then : >root/.bashrc; fi
mount -t proc proc proc
mount -t sysfs sysfs sys
mount --rbind /dev dev
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp

while read -r source target access; do
  [ -n "$source" ] || continue
  mkdir -p ".$target"
  mount --bind "$source" ".$target"
  if [ "$access" = ro ]; then mount -o remount,bind,ro ".$target"; fi
done <<<"$BED_BINDS"
if [ -n "$BED_PROJECT" ]; then
  mkdir -p opt/project
  mount --bind "$BED_PROJECT" opt/project
  mount -o remount,bind,ro opt/project
fi

if [ -n "$BED_CGROUPS" ]; then
  mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
  while read -r folder options; do
    mkdir "sys/fs/cgroup/$folder"
    mount -t cgroup -o "$options" cgroup "sys/fs/cgroup/$folder"
  done <<<"$BED_CGROUPS"
else
  mount -t cgroup2 cgroup2 sys/fs/cgroup
  # Version 2 gives controllers to children only where no process sits: all move into a leaf, where later ones join.
  mkdir -p sys/fs/cgroup/init
  while read -r process; do echo "$process" >sys/fs/cgroup/init/cgroup.procs || true; done <sys/fs/cgroup/cgroup.procs
  sed 's/ / +/g; s/^/+/' <sys/fs/cgroup/cgroup.controllers >sys/fs/cgroup/cgroup.subtree_control
fi

hostname "$BED_NAME"
echo 1 >proc/sys/net/ipv4/ip_forward
mkdir run/machine
pivot_root . run/machine
umount -l /run/machine
rmdir /run/machine
touch /run/bed/ready
exec sleep infinity
