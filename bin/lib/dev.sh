#!/usr/bin/env bash
# dev.sh [OPTION…]: Berth and its dashboard for development, with the packages of both installed first; tools/dev/main.ts has the options.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$root/bin/lib/machine.sh"
require_programs
ensure_dependencies >&2
ensure_dashboard_packages >&2
exec "$(node24)" "$root/tools/dev/main.ts" "$@"
