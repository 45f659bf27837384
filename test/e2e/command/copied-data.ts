/** What `berth db copy` and `berth import dokploy --data` bring into databases of a real engine. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startFamilyServer } from '../../clients/family-server.ts';
import { fillFamily } from '../../clients/family-shop.ts';
import type { Ran } from '../../command-line.ts';
import type { BerthHost } from '../fixtures/berth-host.ts';

export type Run = (argv: string[], environment?: Record<string, string>) => Promise<Ran>;

/** How one kind is filled and asked: words of its own program in its container. */
interface Kind {
  image: string;
  fill: string;
  ask: string;
}

const mysqlShell = 'MYSQL_PWD="$MYSQL_PASSWORD" mysql --user "$MYSQL_USER" "$MYSQL_DATABASE"';
const mariadbShell = 'MYSQL_PWD="$MARIADB_PASSWORD" mariadb --user "$MARIADB_USER" "$MARIADB_DATABASE"';
const psql = 'psql --quiet --tuples-only --no-align --username "$POSTGRES_USER" "$POSTGRES_DB" --command';
const rows = "create table notes (text varchar(20)); insert into notes values ('kept');";
const mongosh = (script: string): string =>
  "mongosh --quiet --eval '" +
  'db.getSiblingDB("admin")' +
  '.auth(process.env.MONGO_INITDB_ROOT_USERNAME, process.env.MONGO_INITDB_ROOT_PASSWORD); ' +
  `const notes = (command) => db.getSiblingDB("shop").runCommand(command); ${script}'`;
const kinds: Readonly<Record<'postgres' | 'mysql' | 'mariadb' | 'mongo', Kind>> = {
  postgres: {
    image: 'berth/postgres:15',
    fill: `${psql} "${rows}"`,
    ask: `${psql} 'select text from notes'`,
  },
  mysql: {
    image: 'berth/mysql:9.7',
    fill: `${mysqlShell} --execute "${rows}"`,
    ask: `${mysqlShell} --skip-column-names --batch --execute 'select text from notes'`,
  },
  mariadb: {
    image: 'berth/mariadb:10.11',
    fill: `${mariadbShell} --execute "${rows}"`,
    ask: `${mariadbShell} --skip-column-names --batch --execute 'select text from notes'`,
  },
  mongo: {
    image: 'berth/mongo:7',
    fill: mongosh('notes({ insert: "notes", documents: [{ _id: 1, text: "kept" }] });'),
    ask: mongosh('for (const { text } of notes({ find: "notes" }).cursor.firstBatch) print(text);'),
  },
};

async function done(run: Run, argv: string[], environment?: Record<string, string>): Promise<Ran> {
  const ran = await run(argv, environment);
  expect(ran, `${argv.join(' ')}\n${ran.said}`).toMatchObject({ code: 0 });
  return ran;
}

const inside = (run: Run, service: string, script: string): Promise<Ran> =>
  done(run, ['exec', service, '--', 'sh', '-c', script]);

/** By the address that services of the environment have; a dump that breaks leaves what was there. */
export async function expectCopied(run: Run): Promise<void> {
  for (const [kind, { image, fill, ask }] of Object.entries(kinds)) {
    const [from, to] = [`copies/${kind}-from`, `copies/${kind}-to`];
    await done(run, ['db', 'create', kind, from, '--image', image]);
    await done(run, ['db', 'create', kind, to, '--image', image]);
    await inside(run, from, fill);
    const { internal } = Object(JSON.parse((await done(run, ['db', 'connect', from, '--print'])).out));
    await done(run, ['db', 'copy', to, '--from', internal, '--yes']);
    // Once more: what is there is replaced.
    await done(run, ['db', 'copy', to, '--from', internal, '--yes']);
    expect([kind, (await inside(run, to, ask)).out]).toEqual([kind, 'kept\n']);
    const wrong = new URL(internal);
    wrong.password = 'wrong';
    const refused = await run(['db', 'copy', to, '--from', wrong.href, '--yes']);
    expect(refused).toMatchObject({
      code: 1,
      said: expect.stringContaining('say above why nothing was copied'),
    });
    expect([kind, (await inside(run, to, ask)).out]).toEqual([kind, 'kept\n']);
  }
}

/** What an import reads of another server, all thirty services, is made by apply; then nothing differs. */
export async function expectThirty(run: Run, berth: BerthHost, folder: string): Promise<void> {
  await berth.call('destination.create', { name: 'backups', provider: 'local', path: '/srv/backups' });
  await using family = await startFamilyServer();
  await fillFamily(family);
  const argv = ['import', 'dokploy', 'Shop', '--from', family.url, '--destination', 'backups'];
  const more = ['--name', 'thirty', '--output', 'thirty.yml'];
  const read = await done(run, [...argv, ...more], { BERTH_IMPORT_KEY: family.key });
  expect(read.said).toContain('30 services taken');
  await done(run, ['apply', '--yes', '--file', 'thirty.yml', '--no-deploy']);
  const planned = await done(run, ['plan', '--file', 'thirty.yml']);
  expect(JSON.parse(planned.out)).toMatchObject({ steps: [], problems: [] });
  const services = JSON.parse((await done(run, ['status'])).out) as { service: string; kind: string }[];
  const count = (kind: string): number =>
    services.filter((one) => one.service.startsWith('thirty/') && one.kind === kind).length;
  const kindNames = ['application', 'compose', 'postgres', 'mysql', 'mariadb', 'mongo', 'redis'];
  expect(kindNames.map(count)).toEqual([12, 4, 3, 3, 3, 3, 2]);
  await rm(join(folder, 'thirty.yml'));
}

/** The other installation is this one, in the words of the family. */
export async function expectMoved(run: Run, berth: BerthHost, folder: string): Promise<void> {
  const key = { BERTH_IMPORT_KEY: berth.signed()['x-api-key'] ?? '' };
  const argv = ['import', 'dokploy', 'copies', '--from', `${berth.url}/compat`, '--name', 'moved'];
  await done(run, [...argv, '--output', 'moved.yml'], key);
  await done(run, ['apply', '--yes', '--file', 'moved.yml']);
  const services = JSON.parse((await done(run, ['status'])).out) as Record<string, string>[];
  for (const [at, kind] of Object.keys(kinds).entries()) {
    const from = services.find(({ service }) => service === `copies/${kind}-from`);
    const port = { [`${kind}Id`]: from?.[`${kind}Id`], externalPort: 34_000 + at };
    await berth.call(`${kind}.saveExternalPort`, port);
    await berth.call(`${kind}.deploy`, { [`${kind}Id`]: from?.[`${kind}Id`] });
    await expect
      .poll(async () => Object(await berth.call(`${kind}.one`, port)).applicationStatus, { timeout: 120_000 })
      .toBe('done');
  }
  const ran = await run([...argv, '--data', '--yes'], key);
  expect(ran.said).toContain('mysql-to: its port is not published there');
  for (const [kind, { ask }] of Object.entries(kinds))
    expect([kind, ran.said, (await inside(run, `moved/${kind}-from`, ask)).out]).toEqual([
      kind,
      ran.said,
      'kept\n',
    ]);
  await rm(join(folder, 'moved.yml'));
}
