/**
 * The script that brings carried files into a volume, for busybox in a container that sees nothing else:
 * /.berth/from the files of the commit, /.berth/base those that were brought before, /.berth/volume the
 * volume, /.berth/before what the service wrote while it had a folder of its deployment.
 */
const functions = `
B=/.berth/busybox from=/.berth/from base=/.berth/base/files data=/.berth/volume
same() {
  if [ -h "$1" ] || [ -h "$2" ]; then
    [ -h "$1" ] && [ -h "$2" ] && [ "$($B readlink "$1")" = "$($B readlink "$2")" ]
  else
    [ -f "$1" ] && [ -f "$2" ] && $B cmp -s "$1" "$2"
  fi
}
there() { [ -e "$1" ] || [ -h "$1" ]; }
put() {
  if [ -f "$2" ] && [ ! -h "$2" ] && [ ! -h "$1" ]; then
    $B cat "$1" >"$2" && $B chmod "$($B stat -c %a "$1")" "$2"
  else
    $B rm -f "$2" && $B cp -a "$1" "$2"
  fi
}
`;

/** Of each file of the commit. */
const follow = `${functions}
for f in "$@"; do
  if ! there "$data/$f"; then
    $B mkdir -p "$data/\${f%/*}" 2>/dev/null && $B cp -a "$from/$f" "$data/$f" 2>/dev/null || echo "kept $f"
  elif same "$from/$f" "$data/$f"; then :
  elif same "$base/$f" "$data/$f"; then put "$from/$f" "$data/$f" || exit 1
  elif [ -d /.berth/before ] && [ ! -d "$data/$f" ]; then
    $B mv -f "$data/$f" "$data/$f.before-berth" && $B cp -a "$from/$f" "$data/$f" || exit 1
    echo "aside $f"
  else echo "kept $f"
  fi
done
`;

/** Of each file that was brought before. */
const leave = `${functions}
for f in "$@"; do
  there "$from/$f" && continue
  there "$data/$f" || continue
  if same "$base/$f" "$data/$f"; then
    $B rm -f "$data/$f" || exit 1
    $B rmdir -p "$data/\${f%/*}" 2>/dev/null
  else echo "kept $f"
  fi
done
:
`;

const quoted = (script: string): string => `'${script.replaceAll("'", `'\\''`)}'`;
const each = (folder: string, script: string): string =>
  `{ cd ${folder} && $B find . '(' -type f -o -type l ')' -exec $B sh -c ${quoted(script)} "$B" '{}' + ; }`;

export const bringScript = `
set -eu
B=/.berth/busybox
$B mkdir -p /.berth/base/files
if [ -d /.berth/before ]; then
  $B rm -rf /.berth/base/files && $B mkdir -p /.berth/base/files
  $B cp -a /.berth/before/. /.berth/volume/
fi
${each('/.berth/from', follow)}
${each('/.berth/base/files', leave)}
cd /
$B rm -rf /.berth/base/next
$B cp -a /.berth/from /.berth/base/next
$B rm -rf /.berth/base/files
$B mv /.berth/base/next /.berth/base/files
`;
