/**
 * Backups and restores of real databases on a real Berth, engine and S3 server; then Berth and the S3 server
 * are killed in the middle of some.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { dockerOf } from '../bed/docker.ts';
import { placesOf } from '../run/places.ts';
import { faultTests, killTests } from './backups/faults.ts';
import {
  backUp,
  changeRows,
  contentOf,
  fillRows,
  keep,
  listed,
  logOf,
  openBackupFixture,
  others,
  restore,
  sql,
  type RunView,
  type BackupFixture,
} from './backups/backup-fixture.ts';
import { openDatabaseFixture, type Base } from './databases/database-fixture.ts';
import { volumes } from './databases/life.ts';
import { berthAt, type PlacedBerth } from './fixtures/placed-berth.ts';
import { expectCalmLog, output, until } from './fixtures/applications.ts';

// A restore of a whole server takes minutes where five of them share a slow machine.
vi.setConfig({ maxConcurrency: 5, testTimeout: 20 * 60_000 });

/** What a restore has to bring back or leave alone, besides the rows of the table. */
const beside = {
  postgres: {
    make: [
      'create role reporting',
      'create role blogger',
      'alter table items enable row level security',
      'create policy seen on items to reporting using (true)',
      'create database blog owner blogger',
    ],
    look:
      'select pg_get_userbyid(datdba), (select roles from pg_policies), ' +
      `current_setting('max_connections') from pg_database where datname = 'blog'`,
    sees: 'blogger|{reporting}|42',
  },
  mariadb: {
    make: [
      'set names utf8mb4; create database `ü`',
      'create table past (n int) with system versioning; insert into past values (1); update past set n = 2',
      `create table big as select repeat('x', 9000000) as x`,
    ],
    look:
      'select (select count(*) from past for system_time all), (select length(x) from big), ' +
      '(select count(*) from information_schema.schemata where schema_name = convert(0xc3bc using utf8))',
    sees: '2\t9000000\t1',
  },
};

/** Its arguments name a file that a mount brings. */
async function withConfigFile(berth: PlacedBerth, base: Base): Promise<void> {
  const mountPath = '/etc/postgresql/postgresql.conf';
  await berth.call('mount.create', {
    serviceId: base.id,
    serviceType: base.kind,
    type: 'file',
    mountPath,
    filePath: 'postgresql.conf',
    content: `listen_addresses = '*'\nmax_connections = 42\n`,
  });
  await base.do('update', { args: ['-c', `config_file=${mountPath}`] });
}

type Strange = (fixture: BackupFixture, base: Base, folder: string) => Promise<string>;

/** Each lays the object `theirs` into the folder, and gives what the database has to hold afterwards. */
const strangers: readonly (readonly ['postgres' | 'mariadb', Strange])[] = [
  [
    'postgres',
    async (fixture, base, folder) => {
      const { berth } = fixture;
      await fillRows(berth, base, 1000);
      await sql(
        berth,
        base,
        `create function run() returns int language plpgsql as $f$ begin
          if current_database() <> 'shop' and current_setting('is_superuser') = 'on' then
            execute 'copy (select 1) to program ''touch /tmp/pwned''';
          end if;
          return 1;
        end $f$`,
      );
      await sql(berth, base, 'create materialized view runs as select run()');
      const wanted = await contentOf(berth, base);
      const { path } = await backUp(await keep(fixture, base));
      await output(berth.host, 'sh', '-c', 'mv "$1" "$2"', 'sh', `${folder}/${path}`, `${folder}/theirs`);
      const docker = dockerOf(berth.services);
      const [container = ''] = await docker.containersOf((await base.view()).appName);
      const dump = 'pg_dump -U "$POSTGRES_USER" --create --clean shop';
      const text = await docker.exec(container, ['sh', '-c', dump]);
      await output(berth.host, 'sh', '-c', 'printf %s "$1" >"$2"', 'sh', text, `${folder}/theirs.sql`);
      await changeRows(berth, base);
      return wanted;
    },
  ],
  [
    'mariadb',
    async (fixture, base, folder) => {
      const { berth } = fixture;
      await fillRows(berth, base, 1000);
      const wanted = await contentOf(berth, base);
      const { appName } = await base.view();
      const docker = dockerOf(berth.services);
      const [container = ''] = await docker.containersOf(appName);
      await sql(
        berth,
        base,
        `create definer=root@localhost trigger t before insert on items for each row set @a = 1`,
      );
      const dump = await docker.exec(container, [
        'sh',
        '-c',
        'MYSQL_PWD=$MARIADB_ROOT_PASSWORD exec mariadb-dump -h 127.0.0.1 -u root --databases shop',
      ]);
      expect(dump).toContain('DEFINER=`root`@`localhost`');
      const evil = ['\\! touch /tmp/pwned', 'system touch /tmp/pwned;', 'source /etc/hostname;'];
      const objects = [['theirs', dump], ...evil.map((line, at) => [`evil${at}`, `${dump}\n${line}\n`])];
      for (const [name = '', text = ''] of objects)
        await output(berth.host, 'sh', '-c', 'printf %s "$1" >"$2"', 'sh', text, `${folder}/${name}`);
      for (const at of evil.keys())
        expect((await restore(fixture, base, `evil${at}`)).log.join('\n')).toMatch(
          /Unknown command|ERROR 1064/,
        );
      await changeRows(berth, base);
      return wanted;
    },
  ],
];

describe.each(placesOf('backups'))('databases on: %s', (place) => {
  let berth: PlacedBerth;
  let fixture: BackupFixture;

  beforeAll(async () => {
    const bed = await bedOfRun();
    berth = await berthAt(place, bed, { name: 'backup', index: 37 });
    // So many backups at once, too.
    await berth.call('settings.update', { buildsConcurrency: 8 });
    fixture = await openBackupFixture(
      bed,
      await openDatabaseFixture(berth),
      `offsite-${berth.services.name}`,
    );
  });
  afterAll(async () => {
    await fixture.s3.kill();
    await berth.end();
  });

  describe.concurrent('backups', () => {
    it.each([
      ['postgres', 50_000],
      ['mariadb', 50_000],
      ['mysql', 50_000],
      ['mongo', 1000],
    ] as const)(
      'of %s are restored to the row, beside, with the other databases of the server; what was before stays',
      async (kind, rows) => {
        const { databases } = fixture;
        const base = await databases.database(kind, `kept-${kind}`);
        await base.deploy();
        await fillRows(berth, base, rows);
        await sql(berth, base, others[kind]?.make ?? '');
        const before = await contentOf(berth, base);
        const run = await backUp(await keep(fixture, base));
        expect(run.steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
          'dump done',
          'compress done',
          'upload done',
          'verify done',
          'record done',
        ]);
        expect(await listed(fixture, base.id)).toEqual([run.path]);
        await changeRows(berth, base);
        const changed = await contentOf(berth, base);
        expect(changed).not.toBe(before);
        const restored = await restore(fixture, base, run.path);
        expect(restored.success, restored.log.join('\n')).toBe(true);
        expect(await contentOf(berth, base)).toBe(before);
        expect(await sql(berth, base, others[kind]?.list ?? '')).toContain('other');
        const view = await base.view();
        // All but MongoDB stay on their volume: the state before is another database there.
        const former = kind === 'mongo' ? [{ volumeName: `berth-data-${base.id}` }] : [];
        expect(view).toMatchObject({ applicationStatus: 'done', formerVolumes: former });
        expect(await volumes(fixture, base)).toContain(`berth-data-${base.id}`);
        if (kind === 'mongo') return;
        // And back to what the restore replaced.
        const runs = (): Promise<RunView[]> =>
          berth.call<RunView[] & Record<string, unknown>>('backup.runsByDatabase', { databaseId: base.id });
        const restoring = (await runs()).find(({ operation }) => operation === 'restore');
        await berth.call('backup.undoRestore', { backupRunId: restoring?.backupRunId ?? '' });
        const back = await until(
          'it was put back',
          async () =>
            (await runs()).find(
              ({ operation, status }) =>
                operation === 'return' && status !== 'queued' && status !== 'running',
            ),
          240_000,
        );
        expect(back, await logOf(berth, back.backupRunId)).toMatchObject({ status: 'done' });
        expect(await contentOf(berth, base)).toBe(changed);
      },
    );

    it('are tried out in a database of their own, which is gone then', async () => {
      const { databases } = fixture;
      const base = await databases.database('postgres', 'tried');
      await base.deploy();
      await fillRows(berth, base, 10_000);
      const kept = await keep(fixture, base);
      await backUp(kept);
      const run = await berth.call<RunView & Record<string, unknown>>('backup.verify', {
        backupId: kept.backupId,
      });
      expect(run).toMatchObject({ operation: 'verification', status: 'done', previousVolume: null });
      expect(run.steps.map(({ name }) => name)).toEqual(['find', 'beside', 'load', 'check', 'tidy']);
      expect(await logOf(berth, run.backupRunId)).toContain('check: done (1 table)');
      expect(await volumes(fixture, base)).toEqual([`berth-data-${base.id}`]);
    });

    it.each(['postgres', 'mariadb'] as const)(
      'of a stopped %s are restored with all that its server has beside, and it is stopped again',
      async (kind) => {
        const { databases } = fixture;
        const base = await databases.database(kind, `stopped-${kind}`);
        if (kind === 'postgres') await withConfigFile(berth, base);
        await base.deploy();
        await fillRows(berth, base, 1000);
        for (const statement of beside[kind].make) await sql(berth, base, statement);
        expect(await sql(berth, base, beside[kind].look)).toBe(beside[kind].sees);
        const before = await contentOf(berth, base);
        const kept = await keep(fixture, base);
        const { path } = await backUp(kept);
        expect(await berth.call('backup.verify', { backupId: kept.backupId })).toMatchObject({
          status: 'done',
        });
        await changeRows(berth, base);
        const { applicationStatus } = await base.do('stop');
        const restored = await restore(fixture, base, path);
        expect(restored.success, restored.log.join('\n')).toBe(true);
        expect(await base.view()).toMatchObject({ applicationStatus });
        await base.do('start');
        expect(await contentOf(berth, base)).toBe(before);
        expect(await sql(berth, base, beside[kind].look)).toBe(beside[kind].sees);
      },
    );

    it('of MariaDB that load nothing, or into another database, change nothing', async () => {
      const base = await fixture.databases.database('mariadb', 'foreign');
      await base.deploy();
      await fillRows(berth, base, 1000);
      const before = await contentOf(berth, base);
      const folder = '/srv/dumps';
      const { destinationId } = await berth.call<{ destinationId: string }>('destination.create', {
        name: 'dumps',
        provider: 'local',
        path: folder,
      });
      await output(berth.host, 'mkdir', '-p', folder);
      for (const [name, dump, words] of [
        ['empty', '', 'is empty: it would restore nothing'],
        ['remarks', '-- nothing', 'left no tables in shop'],
        [
          'other',
          'CREATE DATABASE prod; USE prod; CREATE TABLE t (n int);',
          'writes into prod and not into shop',
        ],
      ] as const) {
        const script = 'printf %s "$1" | gzip >"$2"';
        await output(berth.host, 'sh', '-c', script, 'sh', dump, `${folder}/${name}.sql.gz`);
        const { success, log } = await restore({ ...fixture, destinationId }, base, `${name}.sql.gz`);
        expect([success, log.join('\n')]).toEqual([false, expect.stringContaining(words)]);
      }
      expect(await contentOf(berth, base)).toBe(before);
      expect(await sql(berth, base, 'show databases')).not.toContain('prod');
      expect(await volumes(fixture, base)).toEqual([`berth-data-${base.id}`]);
    });

    it.each(strangers)(
      'of strangers are loaded without the rights of an administrator: %s',
      async (kind, make) => {
        const base = await fixture.databases.database(kind, `strange-${kind}`);
        await base.deploy();
        const folder = `/srv/strange-${kind}`;
        await output(berth.host, 'mkdir', '-p', folder);
        const { destinationId } = await berth.call<{ destinationId: string }>('destination.create', {
          name: `strange-${kind}`,
          provider: 'local',
          path: folder,
        });
        const wanted = await make({ ...fixture, destinationId }, base, folder);
        for (const object of kind === 'postgres' ? ['theirs.sql', 'theirs'] : ['theirs']) {
          const restored = await restore({ ...fixture, destinationId }, base, object);
          const log = restored.log.join('\n');
          expect(restored.success, log).toBe(true);
          expect(log).toContain('This installation did not make the object');
          expect(await contentOf(berth, base)).toBe(wanted);
        }
        const [container = ''] = await dockerOf(berth.services).containersOf((await base.view()).appName);
        expect(await dockerOf(berth.services).exec(container, ['sh', '-c', 'ls /tmp'])).not.toContain(
          'pwned',
        );
      },
    );

    faultTests(() => fixture);
  });

  // One after another and after the others: whatever ran beside them would be killed with these servers.
  describe('servers that are killed', () => {
    killTests(() => fixture);
  });

  it('nothing of all this was a fault', () => expectCalmLog(berth, []));
});
