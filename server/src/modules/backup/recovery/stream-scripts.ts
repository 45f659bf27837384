/**
 * Texts for the shell of a PostgreSQL image: the service that receives the write-ahead log, and the look at
 * it. Values reach them as variables.
 */
import { lines } from '../../database/kinds/server.ts';

/** Folder of the service. */
export const walFolder = '/berth-wal';

/** Of the log that waits for Berth, on the volume of the service. */
const mostWaitingKilobytes = 1024 * 1024;
/** Of the log that the database keeps for the service, on the volume of the database. */
const mostKept = '4GB';

/**
 * Receives the log by a slot, without Berth. Both disks have a limit: beyond the first it stops receiving,
 * beyond the second PostgreSQL gives the slot up, and a new one begins.
 */
export const receiveScript = lines(
  `cd ${walFolder} || exit 1`,
  'child=; trap \'[ -z "$child" ] || kill -INT $child; exit 0\' TERM INT',
  'rest() { sleep "$1" & wait $!; }',
  'ask() { psql -X -q -t -A -w -v ON_ERROR_STOP=1 -c "$1"; }',
  `full() { set -- $(du -sk ${walFolder}); [ "$1" -gt ${mostWaitingKilobytes} ]; }`,
  'while :; do',
  "  slot=$(ask \"select coalesce(max(wal_status), 'none') from pg_replication_slots where slot_name = " +
    "'$SLOT'\") || { rest 2; continue; }",
  '  if [ "$(ask \'show max_slot_wal_keep_size\')" = -1 ]; then',
  `    ask "alter system set max_slot_wal_keep_size = '${mostKept}'" && ask 'select pg_reload_conf()' ` +
    `>/dev/null`,
  '  fi',
  '  if [ "$slot" = lost ]; then',
  '    ask "select pg_drop_replication_slot(\'$SLOT\')" >/dev/null || { rest 2; continue; }',
  '    slot=none',
  '  fi',
  '  if [ "$slot" = none ]; then',
  `    rm -f ${walFolder}/*`,
  `    pg_receivewal -w -D ${walFolder} -S "$SLOT" --create-slot --if-not-exists || { rest 2; continue; }`,
  '  fi',
  '  if full; then rest 5; continue; fi',
  `  pg_receivewal -w -n -s 2 -D ${walFolder} -S "$SLOT" & child=$!`,
  '  while kill -0 $child 2>/dev/null; do',
  '    if full; then kill -INT $child; fi',
  '    rest 2',
  '  done',
  '  wait $child; child=; rest 1',
  'done',
);

/**
 * Ends the present segment when something was written since `SEEN`, waits until it is received, and lists
 * what is complete.
 */
export const lookScript = lines(
  `cd ${walFolder} || exit 1`,
  'row=$(printf %s "$QUERY" | psql -X -q -t -A -w -v ON_ERROR_STOP=1 -v seen="$SEEN" -v slot="$SLOT") ' +
    '|| exit 1',
  'last=${row##*|}; echo "look|${row%|*}"',
  'n=0; while [ -n "$last" ] && [ ! -e "$last" ] && [ $n -lt 20 ]; do n=$((n + 1)); sleep 0.5; done',
  'ls -1 | head -n 1000',
);

/** The time is that of the statement's begin, before its snapshot. */
export const lookQuery =
  "select concat_ws('|', extract(epoch from now()), s, " +
  '(select system_identifier from pg_control_system()), ' +
  "(select setting::bigint * case unit when '8kB' then 8192 else 1 end from pg_settings where name = " +
  "'wal_segment_size'), substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), coalesce(l::text, ''), " +
  "coalesce((select wal_status from pg_replication_slots where slot_name = :'slot'), 'none'), " +
  "coalesce(pg_walfile_name(l - 1), '')) from (select s, case when s = :'seen' then null else " +
  'pg_switch_wal() end as l from (select pg_current_snapshot()::text as s offset 0) as a offset 0) as b';
