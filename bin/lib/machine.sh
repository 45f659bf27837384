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

# require_programs: Node.js 20 or newer with npm, and git; nothing is changed before they are there.
require_programs() {
  local major
  command -v node >/dev/null || fail 'Node.js is missing. Install Node.js 20 or newer with npm (https://nodejs.org; Debian 12 packages only 18) and run this again. Nothing was changed.'
  major=$(node --print 'process.versions.node.split(".")[0]')
  [ "$major" -ge 20 ] || fail "Node.js $(node --version) is too old. Install Node.js 20 or newer with npm (https://nodejs.org) and run this again. Nothing was changed."
  command -v npm >/dev/null || fail 'npm is missing. Install the npm that belongs to your Node.js ("apt-get install npm" for Debian'\''s) and run this again. Nothing was changed.'
  command -v git >/dev/null || fail 'git is missing. Run "apt-get install git", then this again. Nothing was changed.'
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

# ensure_dependencies [--omit=dev]: exactly the lockfile's packages, Node 24 among them, or at least those that are not for development; no package's scripts are run.
ensure_dependencies() {
  node "$root/bin/lib/dependencies-match.mjs" "$root" "$@" && return
  step 'Dependencies: npm ci' npm --prefix "$root" ci --ignore-scripts --no-audit --no-fund "$@"
  node "$root/bin/lib/dependencies-match.mjs" "$root" "$@" || fail 'npm ci ended well, but the dependencies still differ from package-lock.json. Is this machine x64 or arm64, as Berth needs?'
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
  step 'Build' "$(node24)" "$root/tools/package/main.ts" program
  if [ -d "$root/.cache/web" ]; then mv -T "$root/.cache/web" "$root/dist/web" && rmdir --ignore-fail-on-non-empty "$root/.cache"; fi
  printf '%s\n' "$sources" >"$stamp"
}

# ensure_dashboard: builds dist/web when its sources differ from those of the last build. Its packages (100 MB) are taken away again, unless they were there before.
ensure_dashboard() {
  local sources stamp=$root/dist/web/.sources drop=
  sources=$(sources_hash web client server/src/domain/errors.ts)
  [ "$(cat "$stamp" 2>/dev/null)" = "$sources" ] && return
  if ! node "$root/bin/lib/dependencies-match.mjs" "$root/web" --without-node; then
    [ -d "$root/web/node_modules" ] || drop=yes
    # Not npm ci: it refuses where a registry lacks an optional package of another platform. The lock file decides all the same.
    step 'Packages of the dashboard: npm install' npm --prefix "$root/web" install --no-save --ignore-scripts --no-audit --no-fund
  fi
  step 'Dashboard: npm run build' env "PATH=$(dirname "$(node24)"):$PATH" npm --prefix "$root/web" run build
  printf '%s\n' "$sources" >"$stamp"
  if [ -n "$drop" ]; then rm -rf "$root/web/node_modules"; fi
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

# node24: the Node.js 24 among the dependencies; the machine's own is only used to fetch it.
node24() {
  local arch
  case $(uname -m) in x86_64) arch=x64 ;; aarch64) arch=arm64 ;; *) fail "Berth runs on x64 and arm64, and this machine is $(uname -m)." ;; esac
  printf '%s\n' "$root/node_modules/node-linux-$arch/bin/node"
}
