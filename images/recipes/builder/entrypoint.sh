#!/bin/bash
# Starts the engine behind its walls. A wall that cannot be built ends the container: no engine without them.
set -euo pipefail
here=/usr/local/lib/berth-builder
"$here/walls.sh"
"$here/groups.sh"
rm -f /run/builder/*.sock /var/run/docker.pid
echo '{"builder":{"gc":{"enabled":true,"defaultKeepStorage":"10GB"}}}' >/etc/docker/daemon.json
"$here/give.pl" /run/builder/images.sock &
# What a step becomes when it leaves its container is a user that owns nothing here.
exec dockerd \
  --host unix:///run/builder/docker.sock \
  --group root \
  --userns-remap berth-steps \
  --exec-opt native.cgroupdriver=cgroupfs \
  --log-level warn
