#!/usr/bin/env bash
# Prints the folder of the test cache that holds node_modules of this lockfile and of the dashboard's, in opt/berth, where hosts of the bed have their checkout.
# What is not kept yet is installed there, apart from any checkout, so that nothing that somebody changed in his gets into it.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$root/bin/lib/machine.sh"

cache=${BERTH_TEST_CACHE:-/var/cache/berth-test}
kept=$cache/dependencies-$(cat "$root/package-lock.json" "$root/web/package-lock.json" | sha256sum | cut -c1-16)-$(uname -m)

install_kept() {
  local npm draft=$kept.new project=$kept.new/opt/berth
  ensure_npm
  rm -rf "$draft"
  mkdir -p "$project/web"
  cp "$root/package.json" "$root/package-lock.json" "$root/.npmrc" "$project"
  "${npm[@]}" --prefix "$project" ci --ignore-scripts --no-audit --no-fund
  "$project/node_modules/node-linux-$(node_architecture)/bin/node" "$root/bin/lib/dependencies-match.mjs" "$project"
  drop_fetched_node
  cp "$root/web/package.json" "$root/web/package-lock.json" "$root/web/.npmrc" "$project/web"
  "${npm[@]}" --prefix "$project/web" install --no-save --ignore-scripts --no-audit --no-fund
  rm "$project/web/package.json" "$project/web/package-lock.json" "$project/web/.npmrc"
  rm "$project/package.json" "$project/package-lock.json" "$project/.npmrc"
  mv -T "$draft" "$kept"
  # As test/bed/machine/cached.ts does: what was unused for three days goes.
  find "$cache" -mindepth 1 -maxdepth 1 -type d -name 'dependencies-*' -mtime +2 -exec rm -rf {} +
}

mkdir -p "$cache"
exec 8>"$kept.lock"
flock --exclusive --timeout 720 8 || {
  printf '%s is held by another run for more than 12 minutes.\n' "$kept.lock" >&2
  exit 1
}
if [ ! -d "$kept" ]; then install_kept >&2; fi
touch "$kept"
printf '%s\n' "$kept"
