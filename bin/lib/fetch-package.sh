#!/usr/bin/env bash
# fetch-package.sh NAME VERSION INTEGRITY FOLDER: unpacks a package of the npm registry into a folder that is not there yet, when its archive has this digest ("sha512-…").
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$root/bin/lib/machine.sh"
fetch_package "$1" "$2" "${3#sha512-}" "$4"
