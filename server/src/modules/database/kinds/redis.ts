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
export const quoted = (text: string): string =>
  `"${[...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}"`;

const until = (condition: string): string =>
  lines(
    `looks=0; until ${condition}; do`,
    '  looks=$((looks + 1)); [ $looks -lt 36000 ] || { echo "The new server did not take the data over." ' +
      '>&2; exit 1; }; sleep 0.5',
    'done',
  );

/** Whether the new server says all of this in a section of its information. */
const says = (section: string, ...words: string[]): string =>
  [
    `state=$(redis-cli -h "$TARGET" info ${section})`,
    ...words.map((word) => `echo "$state" | grep -q "^${word}"`),
  ].join(' && ');

/**
 * The empty server $TARGET takes all that $SOURCE has, as its follower, and keeps it on its disk: in an
 * append-only file, too, where it has one, which it writes behind and would not be ended before.
 */
export const takeAll = lines(
  `printf 'CONFIG SET masterauth %s\\nREPLICAOF %s 6379\\n' "$QUOTED_PASSWORD" "$SOURCE" | ` +
    'redis-cli -h "$TARGET" >/dev/null || exit 1',
  until(says('replication', 'master_link_status:up', 'master_sync_in_progress:0')),
  `printf 'REPLICAOF NO ONE\\nCONFIG SET masterauth ""\\n' | redis-cli -h "$TARGET" >/dev/null || exit 1`,
  until(says('persistence', 'aof_rewrite_in_progress:0', 'aof_rewrite_scheduled:0')),
  until('[ "$(redis-cli -h "$TARGET" save)" = OK ]'),
);

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
      takeAll,
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
