/**
 * Dumps Redis by the snapshot that it sends to replicas, which is consistent, and loads it by replication.
 * The texts for the `sh` of its image are fixed; values are passed in the environment.
 */
import { Secret } from '../../../domain/secrets/secret.ts';
import { quoted, takeAll } from '../../database/kinds/redis.ts';
import { lines } from '../../database/kinds/server.ts';
import type { DatabaseProgram, DatabasePrograms, DatabaseTarget } from './database-program.ts';

/**
 * A second server of the same image starts with the dump, and the empty one replicates from it. So nothing
 * here depends on how a version and its settings store files.
 */
const load = lines(
  'umask 077; work=$(mktemp -d) && cd "$work" && cat >dump.rdb || exit 1',
  '[ "$(head -c 5 dump.rdb)" = REDIS ] || { echo "This is no dump of Redis." >&2; exit 1; }',
  `printf 'dir %s\\ndbfilename dump.rdb\\nappendonly no\\nsave ""\\nrepl-diskless-sync-delay 0\\n' "$work" ` +
    '>berth.conf || exit 1',
  `printf 'requirepass %s\\n' "$QUOTED_PASSWORD" >>berth.conf || exit 1`,
  '{ $(command -v docker-entrypoint.sh) redis-server berth.conf >log 2>&1',
  '  tail -n 3 log >&2; : >ended; kill $$; } &',
  'until [ "$(redis-cli ping 2>/dev/null)" = PONG ]; do',
  '  [ ! -e ended ] || exit 1; sleep 0.2',
  'done',
  'own=$(cat /etc/hostname); SOURCE=',
  'while read -r address name; do [ "$name" != "$own" ] || { SOURCE=$address; break; }; done </etc/hosts',
  '[ -n "$SOURCE" ] || { echo "The address of this container is not known." >&2; exit 1; }',
  takeAll,
);

const count = lines(
  'state=$(redis-cli -h "$TARGET" info keyspace) || exit 1',
  'case "$state" in "# Keyspace"*) ;; *) echo "$state" >&2; exit 1 ;; esac',
  'keys=0; while read -r line; do',
  '  case "$line" in db*:keys=*) line=${line#*:keys=}; keys=$((keys + ${line%%,*})) ;; esac',
  'done <<END',
  '$state',
  'END',
  'echo "$keys"',
);

export const redisPrograms: DatabasePrograms = {
  ending: 'rdb',
  counted: 'key',
  dump: (target) => redis(target, 'redis-cli', '-h', target.host, '--rdb', '-'),
  load: (target) => redis(target, 'sh', '-c', load),
  count: (target) => redis(target, 'sh', '-c', count),
};

function redis({ host, password }: DatabaseTarget, ...argv: [string, ...string[]]): DatabaseProgram {
  return {
    argv,
    env: {
      REDISCLI_AUTH: new Secret(password),
      QUOTED_PASSWORD: new Secret(quoted(password)),
      TARGET: host,
    },
  };
}
