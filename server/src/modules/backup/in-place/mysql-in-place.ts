/**
 * A database of MariaDB or MySQL is restored inside its running server: its tables are copied from a server
 * beside, where the object was loaded, into a new database. One statement then exchanges all tables; views,
 * triggers, routines and events, which cannot be moved, are made anew by the statements of both states. Those
 * statements stand in tables of the two databases, so that a change that was broken off is brought to an end.
 * The texts for the `sh` of the image are fixed; statements are passed in the environment.
 */
import { databaseKinds } from '../../database/kinds.ts';
import { lines } from '../../database/kinds/server.ts';
import type {
  DatabaseProgram,
  DatabaseTarget,
  InPlaceNames,
  InPlacePrograms,
} from '../programs/database-program.ts';
import { encoded, hasMysql, hindranceOf, mysqlStatements, tablesOf } from './mysql-statements.ts';

interface MysqlNames {
  client: string;
  dump: string;
  /** Of the dump program of this one alone. */
  own: readonly string[];
  /** Connects as root, with these words. */
  connect(target: DatabaseTarget, program: string, ...words: readonly string[]): DatabaseProgram;
}

const login = '--host="$HOST" --port="$PORT" --protocol=tcp --user=root';

/** Prints what is not in tables. A broken view of the present state, which nothing can make anew, is told. */
const definitions = [
  'views() {',
  '  set --; while IFS= read -r name; do set -- "$@" "$name"; done <"$work/views"',
  '  [ "$#" = 0 ] || dump --skip-triggers -- "$NAME" "$@"',
  '}',
  'sound() {',
  '  exec 3<"$work/views" 4<"$work/shows"',
  '  while IFS= read -r name <&3 && IFS= read -r show <&4; do',
  '    if say "$show" >/dev/null 2>&1; then printf "%s\\n" "$name"',
  '    else echo "Not kept, because it is broken: the view $name" >&2; fi',
  '  done >"$work/good"; mv "$work/good" "$work/views"',
  '}',
  'definitions() {',
  '  dump --no-create-info --triggers --routines -- "$NAME" || return 1',
  '  say "$VIEWS" >"$work/views" && say "$SHOWS" >"$work/shows" || return 1',
  '  if ! views >"$work/shown" 2>"$work/errors"; then',
  '    [ "$1" = present ] || { cat "$work/errors" >&2; return 1; }',
  '    sound; views >"$work/shown" || return 1',
  '  fi',
  '  cat "$work/shown"',
  '  dump --no-create-info --skip-triggers --events -- "$NAME"',
  '}',
] as const;

/** Keeps `$work/definitions` line by line. */
const keep = [
  'inserts() {',
  `  { cat "$work/definitions"; echo; } | od -An -v -tx1 | tr -d '\\n' | sed 's/ 0a/\\n/g' | tr -d ' ' | ` +
    `sed "s/.*/$1('line', X'&');/"`,
  '}',
  'keep() {',
  '  { printf "%s\\n" "$IN_FRESH" "START TRANSACTION;"; inserts "$INTO_FRESH"; echo "COMMIT;"; } | ask',
  '}',
  'alone() {',
  '  others=$(say "$REFERRING") || return 1',
  '  [ -z "$others" ] || { echo "Tables of other databases refer to tables of $NAME by foreign keys:" ' +
    '$others ". Remove these keys and restore again. Nothing was changed." >&2; return 1; }',
  '}',
  'keep_present() {',
  '  alone || return 1',
  '  if [ "$has_name" = 1 ]; then',
  '    definitions present >"$work/definitions" && follow "$LIKE_FORMER" || return 1; rights=$RIGHTS',
  '  else',
  `    say "$NEW_NAME" || return 1; : >"$work/definitions"; rights="$INTO_FORMER('new', '');"`,
  '  fi',
  '  { printf "%s\\n" "$IN_FORMER" "START TRANSACTION;"; inserts "$INTO_FORMER"; printf "%s\\n" "$rights" ' +
    '"COMMIT;"; } | ask',
  '}',
] as const;

/**
 * Under the lock of this restore, since a statement whose client was ended goes on in the server. No
 * statement waits longer than 5 s for a transaction that uses a table: then the connections of the database
 * are ended, and all is done again, 12 times at most.
 */
const patiently = [
  'begin() { printf "%s\\n" "$LOCK" "SET SESSION lock_wait_timeout = 5;"; }',
  'again() {',
  `  grep -q '^ERROR 1205' "$work/errors" || return 1`,
  '  tries=$((tries + 1))',
  '  [ "$tries" -lt 12 ] || { echo "Transactions have held tables of $NAME for a minute, again and again, ' +
    'or from connections of other databases, which are not ended. End them and restore again." >&2; ' +
    'return 1; }',
  '  say "$KILLS" | ask --force >/dev/null 2>&1 || :',
  '}',
  'patiently() {',
  '  tries=0',
  '  until { begin; cat "$1"; } | ask >/dev/null 2>"$work/errors"; do',
  '    again || { cat "$work/errors" >&2; return 1; }',
  '  done',
  '}',
  'drops() { say "$DROPS" >"$work/drops" && patiently "$work/drops"; }',
  'rename() {',
  '  say "$MOVES" >"$work/moves" || return 1',
  `  { echo 'RENAME TABLE'; sed '$!s/$/,/' "$work/moves"; echo ';'; } >"$work/rename"`,
  '  patiently "$work/rename"',
  '}',
] as const;

/** Statements that fail are told; only a lost server is a failure, after which it is done again. */
const load = [
  'load() {',
  '  tries=0',
  '  while :; do',
  // The dump of MySQL does not quote names where it drops triggers.
  '    { say "$TRIGGERS" && say "$1"; } >"$work/lines" || return 1',
  '    { begin; cat "$work/lines"; } | client --force --default-character-set=utf8mb4 --binary-mode ' +
    '--skip-column-names --local-infile=0 --database="$NAME" >/dev/null 2>"$work/errors" && code=0 || ' +
    'code=$?',
  '    again || break',
  '  done',
  `  ! grep -q '^ERROR 1205' "$work/errors" || return 1`,
  `  sed 's/^ERROR [^2]/Left out: &/' "$work/errors" >&2`,
  `  [ "$code" = 0 ] || { grep -q '^ERROR' "$work/errors" && ! grep -q '^ERROR 2' "$work/errors"; } || ` +
    'return 1',
  '  grants=$(say "$2") || return 1',
  '  printf "%s\\n" "$grants" | ask --force >/dev/null || :',
  '}',
  'state() {',
  '  { printf "%s\\n" "$LOCK"; printf "%s\\n" "$STATE"; } | ask >"$work/state" || return 1',
  '  read -r is_locked has_former is_loading is_ready is_keeping has_name <"$work/state" || return 1',
  '  [ "$is_locked" = 1 ] || { echo "An attempt before is still at work in the server." >&2; return 1; }',
  '  kept=0; [ "$is_keeping" = 0 ] || kept=$(say "$KEPT_LINES") || return 1',
  '}',
  'end() {',
  '  say "$DROP_FRESH" || return 1',
  '  [ "$is_keeping" = 1 ] || return 0',
  '  [ "$(say "$IS_NEW")" = 0 ] || say "$DROP_FORMER"',
  '}',
  'finish() { load "$LOADING" "$RIGHTS_OF_LOADING" && say "$LOADED" && is_keeping=1 && end; }',
  'back() {',
  '  state || return 1',
  '  [ "$is_loading" = 0 ] || { finish; return; }',
  '  [ "$has_former" = 1 ] || return 0',
  '  if [ "$kept" != 0 ]; then',
  '    new=$(say "$IS_NEW") || return 1',
  '    if [ "$new" = 0 ]; then load "$KEPT" "$RIGHTS_OF_KEPT" || return 1',
  '    elif [ "$(say "$TABLES_OF_NAME")" = 0 ]; then say "$DROP_NAME" || return 1; fi',
  '  fi',
  '  [ "$(say "$TABLES_OF_FORMER")" -le 1 ] || ' +
    '{ echo "The state before is not alone there." >&2; return 1; }',
  '  say "$DROP_FORMER"',
  '}',
] as const;

const actions = [
  'case "$1" in',
  'encoding) alone && say "$ENCODING";;',
  'create) say "$MAKE_FRESH" && made=$(say "$LIKE_FRESH") && say "${made:-$PLAIN_FRESH}";;',
  'definitions) definitions restored;;',
  'bare) drops;;',
  'keep) cat >"$work/definitions" && keep;;',
  // A session has the limit that was there when it began: no other one sees the larger limit for long.
  'fill)',
  '  say "$KEEP_LIMIT" && back=$(say "$LIMIT") || exit 1',
  '  say "SET GLOBAL max_allowed_packet = 1073741824;" || exit 1',
  '  { printf "%s\\n" "$back"; cat; } | client --default-character-set=utf8mb4 --binary-mode ' +
    '--local-infile=0 --max-allowed-packet=1G --database="$FRESH" && code=0 || code=$?',
  '  say "$back"; exit "$code";;',
  'change)',
  '  state || exit 1',
  '  if [ "$is_loading" = 0 ]; then',
  '    [ "$kept" != 0 ] || keep_present || { back; exit 1; }',
  '    drops && rename || { back; exit 1; }',
  '  fi',
  '  finish;;',
  'clear)',
  '  state || exit 1',
  '  [ "$is_ready" = 0 ] || follow "$LIMIT" || exit 1',
  '  if [ "$is_loading" = 1 ]; then finish',
  '  elif [ "$is_ready" = 1 ] || [ "$kept" = 0 ]; then',
  '    back && { [ -n "$KEEPS_FRESH" ] || say "$DROP_FRESH"; }',
  '  else end; fi;;',
  'esac',
] as const;

const scriptOf = ({ client, dump, own }: MysqlNames): string =>
  lines(
    'umask 077; work=$(mktemp -d) || exit 1; trap \'rm -rf "$work"\' EXIT',
    `client() { ${client} ${login} "$@"; }`,
    'ask() { client --batch --raw --quick --skip-column-names --default-character-set=utf8mb4 ' +
      `--init-command="SET SESSION sql_mode = ''" "$@"; }`,
    'say() { printf "%s\\n" "$1" | ask; }',
    'follow() { statements=$(say "$1") && say "$statements"; }',
    `dump() { ${dump} ${login} --single-transaction --no-tablespaces --skip-comments --no-data ` +
      `--default-character-set=utf8mb4 ${own.join(' ')} "$@"; }`,
    ...definitions,
    ...keep,
    ...patiently,
    ...load,
    ...actions,
  );

export function mysqlInPlace(of: MysqlNames): InPlacePrograms {
  const script = scriptOf(of);
  const act = (action: string, target: DatabaseTarget, names: InPlaceNames): DatabaseProgram => {
    const { env } = of.connect(target, 'sh');
    return {
      argv: ['sh', '-c', script, 'sh', action],
      env: {
        ...env,
        HOST: target.host,
        PORT: String(databaseKinds.mysql.port),
        KEEPS_FRESH: names.keepsFresh ? '1' : '',
        ...mysqlStatements(target, names),
      },
      isLong: true,
    };
  };
  const ask = (target: DatabaseTarget, statement: string): DatabaseProgram =>
    of.connect(target, of.client, '--batch', '--raw', '--skip-column-names', '--execute', statement);
  const none: InPlaceNames = { fresh: '', former: '' };
  return {
    create: (target, names) => act('create', target, names),
    change: (target, names) => act('change', target, names),
    clear: (target, names) => act('clear', target, names),
    has: (target, name) => ask(target, hasMysql(name)),
    beside: {
      hindrance: (target) => ask(target, hindranceOf),
      encoding: (target) => act('encoding', target, none),
      encode: (target, [charset, collation]) => ask(target, encoded(target.database, charset, collation)),
      definitions: (target) => act('definitions', target, none),
      bare: (target) => act('bare', target, none),
      tables: (target) =>
        of.connect(
          target,
          of.dump,
          '--single-transaction',
          '--no-tablespaces',
          '--quick',
          '--skip-triggers',
          '--skip-comments',
          '--hex-blob',
          '--default-character-set=utf8mb4',
          '--max-allowed-packet=1G',
          ...of.own,
          '--',
          target.database,
        ),
      names: (target) => ask(target, tablesOf(target.database)),
      fill: (target, names) => act('fill', target, names),
      keep: (target, names) => act('keep', target, names),
    },
  };
}
