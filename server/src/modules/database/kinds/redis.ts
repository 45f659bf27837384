import { compare, lines, ownAddress, type DatabaseServer } from './server.ts';

/**
 * The password lives with the data, as that of the other kinds does: the first start writes it there, and
 * nothing of it stands among the server's arguments.
 */
const settings = '/data/berth.conf';

const start = lines(
  `conf=${settings}`,
  `[ -e "$conf" ] || { umask 077; printf 'dir /data\\nrequirepass %s\\n' "$BERTH_REDIS_PASSWORD" ` +
    '>"$conf.new" && mv "$conf.new" "$conf"; } || exit 1',
  'exec $(command -v docker-entrypoint.sh) redis-server "$conf" "$@"',
);

/** A word of Redis's configuration and of its client's input, whatever is in it (Redis, sdssplitargs). */
const quoted = (text: string): string =>
  `"${[...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}"`;

export const redisServer: DatabaseServer = {
  login: ({ databasePassword }) => ({ user: 'default', password: databasePassword, database: '' }),
  env: ({ databasePassword }) => ({ BERTH_REDIS_PASSWORD: quoted(databasePassword) }),
  dataPath: () => '/data',
  versionVariables: ['REDIS_VERSION'],
  args: ({ args }) => ['sh', '-c', start, 'redis-server', ...args],
  // One that asks for the password takes requests; one that is still loading its data does not.
  probe: {
    client: 'redis-cli',
    look: 'case "$(redis-cli -h 127.0.0.1 ping 2>&1)" in *PONG*|*NOAUTH*) ;; *) false ;; esac',
    everySeconds: 2,
  },
  query: ({ databasePassword }) => ({
    script: `exec redis-cli -h ${ownAddress} info server`,
    env: { REDISCLI_AUTH: databasePassword },
  }),
  version: (output) => /^redis_version:(\d+(?:\.\d+)*)/m.exec(output)?.[1],
  // A newer server takes the data as the follower of an older one.
  copyTo: ({ databasePassword }, { source, target }) => ({
    script: lines(
      `source=${ownAddress}`,
      `printf 'CONFIG SET masterauth %s\\nREPLICAOF %s 6379\\n' "$QUOTED_PASSWORD" "$SOURCE" | ` +
        'redis-cli -h "$TARGET" >/dev/null || exit 1',
      'looks=0; until redis-cli -h "$TARGET" info replication | grep -q "^master_link_status:up" && ' +
        'redis-cli -h "$TARGET" info replication | grep -q "^master_sync_in_progress:0"; do',
      '  looks=$((looks + 1)); [ $looks -lt 36000 ] || { echo "The new server did not take the data ' +
        'over." >&2; exit 1; }; sleep 0.5',
      'done',
      `printf 'REPLICAOF NO ONE\\nCONFIG SET masterauth ""\\nSAVE\\n' | redis-cli -h "$TARGET" ` +
        '>/dev/null || exit 1',
      `count() { redis-cli -h "$1" info keyspace | tr -d '\\r' | sed -n ` +
        `'s/^\\(db[0-9]*:keys=[0-9]*\\).*/\\1/p'; }`,
      compare('databases', 'keys'),
    ),
    env: {
      REDISCLI_AUTH: databasePassword,
      QUOTED_PASSWORD: quoted(databasePassword),
      SOURCE: source,
      TARGET: target,
    },
  }),
  keepsPassword: (_record, field) => field === 'databasePassword',
  setPassword: ({ databasePassword }, _field, password) => ({
    script: lines(
      // Written first, since the disk may be full; it counts when it has its name.
      `umask 077; printf 'dir /data\\nrequirepass %s\\n' "$NEW_PASSWORD" >${settings}.new || exit 1`,
      `[ "$(printf 'CONFIG SET requirepass %s\\n' "$NEW_PASSWORD" | redis-cli -h ${ownAddress})" = OK ] ` +
        '|| { echo "The server did not take the new password." >&2; exit 1; }',
      `mv ${settings}.new ${settings}`,
    ),
    env: { REDISCLI_AUTH: databasePassword, NEW_PASSWORD: quoted(password) },
  }),
};
