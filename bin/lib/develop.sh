#!/usr/bin/env bash
# develop.sh PROGRAM ARGUMENT…: runs a program of the checkout (a .ts file) or of its packages (a name) on Berth's Node.js, with the packages of
# development, which it installs where they are missing.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$root/bin/lib/machine.sh"
program=$1
shift
require_programs
ensure_dependencies >&2
# Packages start their programs by the name "node".
export PATH="$(dirname "$(node24)"):$PATH"
case $program in
  *.ts) exec "$(node24)" "$root/$program" "$@" ;;
  *) exec "$(node24)" "$root/node_modules/.bin/$program" "$@" ;;
esac
