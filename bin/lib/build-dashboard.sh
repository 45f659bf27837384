#!/usr/bin/env bash
# Builds the dashboard into dist/web, as bin/up does.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$root/bin/lib/machine.sh"
ensure_dashboard
