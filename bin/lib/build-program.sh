#!/usr/bin/env bash
# Builds the server and set-up into dist, as bin/up does.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$root/bin/lib/machine.sh"
require_programs
ensure_dependencies --omit=dev
ensure_build
