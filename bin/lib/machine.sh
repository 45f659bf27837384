# What bin/up and bin/down check and fetch before the compiled set-up program can take over. Sourced, not run.
# Expects `root`: the folder of the checkout.

fail() {
  printf '%s\n' "$1" >&2
  exit 1
}

# require_root COMMAND REASON…: says what root is needed for; stops, with nothing changed, when this is not root.
require_root() {
  local command=$1 reason
  shift
  printf './%s needs root:\n' "$command"
  for reason in "$@"; do printf '  - %s\n' "$reason"; done
  [ "$(id -u)" -eq 0 ] || fail "You are $(id -un), so nothing was changed. Run: sudo ./$command"
}

# is_release: whether this is an unpacked release, built and with its Node.js, and not a checkout.
is_release() {
  [ -f "$root/SHA256SUMS" ]
}

# verify_release: stops, with nothing changed, unless every file is as it was released.
verify_release() {
  local faults start=${EPOCHREALTIME/[.,]/} tenths
  printf 'Release: every file as it was released … '
  if ! faults=$(cd "$root" && LC_ALL=C sha256sum --check --strict --quiet SHA256SUMS 2>&1 | head -n 5); then
    printf 'no\n%s\n' "$faults" >&2
    fail "This release is damaged or was changed, so nothing was run. Unpack it again from an archive that you have verified (README.md, Verify a download)."
  fi
  tenths=$(((${EPOCHREALTIME/[.,]/} - start) / 100000))
  printf 'yes (%d.%d s)\n' $((tenths / 10)) $((tenths % 10))
}

# require_programs: all else that is needed is fetched; nothing is changed before this has looked.
require_programs() {
  command -v git >/dev/null || fail 'git is missing. Run "apt-get install git", then this again. Nothing was changed.'
  command -v curl >/dev/null || command -v wget >/dev/null || fail 'Both curl and wget are missing, and one of them is needed. Run "apt-get install curl", then this again. Nothing was changed.'
  [ -n "$(node_architecture)" ] || fail "Berth runs on x64 and arm64 machines, and this one is $(uname -m). Nothing was changed."
}

# node_architecture: as Node.js names it; nothing for one that Berth does not run on.
node_architecture() {
  case $(uname -m) in x86_64) printf 'x64\n' ;; aarch64 | arm64) printf 'arm64\n' ;; esac
}

# node24: the Node.js 24 among the dependencies. Whatever Berth runs, it runs on that one.
node24() {
  printf '%s\n' "$root/node_modules/node-linux-$(node_architecture)/bin/node"
}

# locked_node: version and SHA-512 (base64) of Node.js in the lock file.
locked_node() {
  sed -n "/^    \"node_modules\/node-linux-$(node_architecture)\": {/,/^    }/{s/^ *\"version\": \"\(.*\)\".*/\1/p;s/^ *\"integrity\": \"sha512-\(.*\)\".*/\1/p}" "$root/package-lock.json"
}

# pinned_npm: version and SHA-512 (base64) of the npm that installs the lock file's packages.
pinned_npm() {
  sed -n 's/^ *"version": "\(.*\)".*/\1/p;s/^ *"integrity": "sha512-\(.*\)".*/\1/p' "$root/bin/lib/npm.json"
}

# npm_registry: the address that npm would ask, as its settings name it.
npm_registry() {
  local file address=${npm_config_registry:-${NPM_CONFIG_REGISTRY:-}}
  for file in "$root/.npmrc" "${npm_config_userconfig:-${HOME:-/root}/.npmrc}" /etc/npmrc /usr/etc/npmrc /usr/local/etc/npmrc; do
    if [ -z "$address" ] && [ -r "$file" ]; then address=$(sed -n 's/^ *registry *= *"\{0,1\}\([^" ]*\).*/\1/p' "$file" | tail -n 1); fi
  done
  address=${address:-https://registry.npmjs.org}
  printf '%s\n' "${address%/}"
}

# fetch_package NAME VERSION SHA512 FOLDER: unpacks a package of the npm registry whose archive has this digest (base64). The folder is whole or absent.
fetch_package() {
  local name=$1 version=$2 folder=$4 archive=$4.tgz draft=$4.new address expected found
  address=$(npm_registry)/$name/-/${name##*/}-$version.tgz
  mkdir -p "$(dirname "$folder")"
  if ! download "$address" "$archive"; then
    rm -f "$archive"
    printf '%s %s did not come from %s. Is the registry reachable, and right in npm_config_registry or .npmrc?\n' "$name" "$version" "$address" >&2
    return 1
  fi
  expected=$(printf %s "$3" | base64 --decode | od -An -v -tx1 | tr -d ' \n')
  found=$(sha512sum <"$archive" | cut -d ' ' -f 1)
  if [ "$found" != "$expected" ]; then
    rm -f "$archive"
    printf '%s %s from %s has the SHA-512 %s, where %s was expected; nothing of it is used.\n' "$name" "$version" "$address" "$found" "$expected" >&2
    return 1
  fi
  rm -rf "$draft" && mkdir "$draft" && tar -xzf "$archive" -C "$draft" --strip-components=1 --no-same-owner && rm -rf "$folder" "$archive" && mv -T "$draft" "$folder"
}

# download ADDRESS FILE
download() {
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --retry 3 --connect-timeout 30 --output "$2" -- "$1"
  else
    wget --no-verbose --tries=3 --timeout=60 --output-document="$2" -- "$1"
  fi
}

# machine_npm: whether the machine has Node.js 20 or newer with npm. The distribution's npm does not count: it installs otherwise than npm's.
machine_npm() {
  local npm major
  npm=$(command -v npm) && major=$(node --print 'process.versions.node.split(".")[0]' 2>/dev/null) || return 1
  case $(readlink -f "$npm") in /usr/share/nodejs/*) return 1 ;; esac
  [ "$major" -ge 20 ]
}

# ensure_npm: sets `npm` to the words that run npm: the machine's, else the pinned npm on Berth's Node.js, both fetched by their digests.
ensure_npm() {
  local node npm_version npm_digest node_version node_digest
  if machine_npm; then
    npm=(npm)
    return
  fi
  { read -r npm_version; read -r npm_digest; } < <(pinned_npm)
  { read -r node_version; read -r node_digest; } < <(locked_node)
  node=$root/.cache/node-$node_version
  if [ ! -x "$node/bin/node" ]; then
    # npm replaces node_modules as a whole, the Node.js in there included.
    if [ "$("$(node24)" --version 2>/dev/null)" = "v$node_version" ]; then
      mkdir -p "$node/bin" && cp "$(node24)" "$node/bin/node"
    else
      step "Node.js $node_version: from the npm registry" fetch_package "node-linux-$(node_architecture)" "$node_version" "$node_digest" "$node"
    fi
  fi
  [ -d "$root/.cache/npm-$npm_version" ] || step "npm $npm_version: from the npm registry" fetch_package npm "$npm_version" "$npm_digest" "$root/.cache/npm-$npm_version"
  npm=("$node/bin/node" "$root/.cache/npm-$npm_version/bin/npm-cli.js")
  # Trusts what the machine trusts, as curl did; by itself Node.js knows its own authorities alone.
  local trusted=${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}
  if [ -r "$trusted" ]; then npm=(env "NODE_EXTRA_CA_CERTS=$trusted" "${npm[@]}"); fi
}

# drop_fetched_node: Berth's Node.js is among the dependencies by now; 120 MB less.
drop_fetched_node() {
  rm -rf "$root"/.cache/node-*
}

# close_inherited: programs that go on after set-up must not contain what the caller had open; its pipe would never end.
close_inherited() {
  local path fd
  for path in /proc/$$/fd/*; do
    fd=${path##*/}
    # 255 is bash's own, for this script.
    if [ "$fd" -gt 2 ] && [ "$fd" -ne 255 ]; then eval "exec $fd>&-"; fi
  done
}

# take_lock: two set-ups at once could start two engines. Held until this process ends; Node.js does not pass it on.
take_lock() {
  close_inherited
  exec 9>/run/berth-setup.lock
  flock --nonblock 9 || fail 'Another bin/up or bin/down is running here. Wait for its end, then run this again.'
}

# step TITLE PROGRAM…: runs the program silently and says how long it took; its output is shown when it fails.
step() {
  local title=$1 log start=${EPOCHREALTIME/[.,]/} tenths
  shift
  printf '%s … ' "$title"
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1 9>&-; then
    printf 'failed\n'
    grep -v '^npm warn' "$log" | head -n 40 >&2
    rm -f "$log"
    fail "\"$*\" failed. Fix what it says above and run this again."
  fi
  rm -f "$log"
  tenths=$(((${EPOCHREALTIME/[.,]/} - start) / 100000))
  printf 'done (%d.%d s)\n' $((tenths / 10)) $((tenths % 10))
}

# dependencies_match FOLDER [OPTION]: whether node_modules there holds what its lock file says.
dependencies_match() {
  [ -x "$(node24)" ] && "$(node24)" "$root/bin/lib/dependencies-match.mjs" "$@"
}

# ensure_dependencies [--omit=dev]: exactly the lockfile's packages, Node 24 among them, or at least those that are not for development; no package's scripts are run.
ensure_dependencies() {
  local npm
  dependencies_match "$root" "$@" && return
  ensure_npm
  step 'Dependencies: npm ci' "${npm[@]}" --prefix "$root" ci --ignore-scripts --no-audit --no-fund "$@"
  drop_fetched_node
  dependencies_match "$root" "$@" || fail "npm ci ended well, but the dependencies still differ from package-lock.json. Remove $root/node_modules and run this again."
}

# ensure_build: compiles when the sources differ from those of the last build.
ensure_build() {
  local sources stamp=$root/dist/.sources
  sources=$(sources_hash)
  [ "$(cat "$stamp" 2>/dev/null)" = "$sources" ] && return
  # The dashboard has sources and a stamp of its own.
  rm -rf "$root/.cache/web"
  if [ -d "$root/dist/web" ]; then mkdir -p "$root/.cache" && mv -T "$root/dist/web" "$root/.cache/web"; fi
  rm -rf "$root/dist"
  step 'Build' "$(node24)" "$root/tools/package/main.ts" program command-line
  if [ -d "$root/.cache/web" ]; then mv -T "$root/.cache/web" "$root/dist/web" && rmdir --ignore-fail-on-non-empty "$root/.cache"; fi
  printf '%s\n' "$sources" >"$stamp"
}

# ensure_dashboard: builds dist/web when its sources differ from those of the last build. Its packages (100 MB) are taken away again, unless they were there before.
ensure_dashboard() {
  local sources stamp=$root/dist/web/.sources drop=
  sources=$(sources_hash web client server/src/domain/errors.ts server/src/domain/variables/dotenv.ts)
  [ "$(cat "$stamp" 2>/dev/null)" = "$sources" ] && return
  [ -d "$root/web/node_modules" ] || drop=yes
  ensure_dashboard_packages
  step 'Dashboard' build_dashboard
  printf '%s\n' "$sources" >"$stamp"
  if [ -n "$drop" ]; then rm -rf "$root/web/node_modules"; fi
}

# ensure_dashboard_packages: exactly those of web/package-lock.json.
ensure_dashboard_packages() {
  local npm
  dependencies_match "$root/web" --without-node && return
  ensure_npm
  # Not npm ci: it refuses where a registry lacks an optional package of another platform. The lock file decides all the same.
  step 'Packages of the dashboard: npm install' "${npm[@]}" --prefix "$root/web" install --no-save --ignore-scripts --no-audit --no-fund
  drop_fetched_node
}

build_dashboard() (
  cd "$root/web" && "$(node24)" node_modules/vite/bin/vite.js build && "$(node24)" compress.ts
)

# ensure_generators: the public generators and linters that read the OpenAPI document, by their own lock file.
ensure_generators() {
  node "$root/bin/lib/dependencies-match.mjs" "$root/test/clients" --without-node && return
  step 'Generators of clients: npm install' npm --prefix "$root/test/clients" install --no-save --ignore-scripts --no-audit --no-fund
}

# sources_hash [path…]: of these, or of all that the server is compiled from.
sources_hash() {
  local path paths=()
  [ $# -gt 0 ] || set -- server client cli setup images tools/package tsconfig.json package.json package-lock.json
  for path in "$@"; do
    [ -e "$root/$path" ] && paths+=("$path")
  done
  (cd "$root" && find "${paths[@]}" -type f -not -path '*/node_modules/*' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum) | sha256sum | cut -c1-64
}
