/**
 * The life of a database of every kind, from its creation to its end: what must be there after each step is,
 * and nothing is after the last.
 */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { databaseKindNames, type DatabaseKindName } from '../../../server/src/domain/database-kind.ts';
import { dots } from '../../../server/src/domain/secrets/secret-patterns.ts';
import type { PasswordField } from '../../../server/src/modules/database/kinds/server.ts';
import { dockerOf, type InspectedContainer } from '../../bed/docker.ts';
import { output, until } from '../fixtures/applications.ts';
import { inSession } from './clients.ts';
import type { Base, DatabaseFixture } from './database-fixture.ts';

/** Every sign that the document's pattern allows; that of redis allows more. */
const signs = 'aZ09@#%^&*()_+-=[]{}|;:,.<>?~';
const anything = `${signs}'"\\$\`/! ü€ %s \\n \\x41`;

/** What the kinds differ in; a kind that cannot do a thing says so here. */
interface Life {
  port: number;
  /** A setting of the server by its arguments, and what asks for it in its own client. */
  args: string[];
  /** Fields whose change reaches into the running server. */
  passwords: readonly PasswordField[];
  /** Words of the server's own log once it runs. */
  says: string;
  /** Its stand-in's volume path for the bed's image. */
  path: string;
}

const lives: Record<DatabaseKindName, Life> = {
  postgres: {
    port: 15_432,
    args: ['-c', 'max_connections=42'],
    passwords: ['databasePassword'],
    says: 'ready to accept connections',
    path: '/var/lib/postgresql/data',
  },
  mariadb: {
    port: 13_306,
    args: ['--max-connections=42'],
    passwords: ['databasePassword', 'databaseRootPassword'],
    says: 'ready for connections',
    path: '/var/lib/mysql',
  },
  mysql: {
    port: 13_307,
    args: ['--max-connections=42'],
    passwords: ['databasePassword', 'databaseRootPassword'],
    says: 'ready for connections',
    path: '/var/lib/mysql',
  },
  mongo: {
    port: 27_018,
    args: ['--slowms', '42'],
    passwords: ['databasePassword'],
    says: 'Waiting for connections',
    path: '/data/db',
  },
  redis: {
    port: 16_379,
    args: ['--maxclients', '42'],
    passwords: ['databasePassword'],
    says: 'Ready to accept connections',
    path: '/data',
  },
};

/**
 * A port that nobody listens on, or a server that does not know the password, in the words of each client.
 */
const refusedBy =
  /ECONNREFUSED|Connection is closed|password authentication failed|Access denied|Authentication failed|WRONGPASS|NOAUTH|connection <monitor>|Server selection timed out/;

export function lifeTests(databases: () => DatabaseFixture): void {
  it.concurrent.each(databaseKindNames)(
    '%s: create, deploy, write, stop, start, reload, passwords of every sign, rebuild, port, rename, ' +
      'move, remove',
    async (kind) => {
      const { port, args, passwords, says } = lives[kind];
      const password = kind === 'redis' ? anything : signs;
      const first = Object.fromEntries(
        passwords.map((field) => [field, field === 'databasePassword' ? password : `R${password}`]),
      );
      const base = await databases().database(kind, `life-${kind}`, first);
      expect(await base.view()).toMatchObject({
        applicationStatus: 'idle',
        dataVersion: null,
        deployments: [],
        ...first,
      });
      await base.do('saveEnvironment', { env: 'GREETING="hello $(id)"' });
      const { deploymentId } = await base.deploy();
      expect(await base.log(deploymentId)).toContain('It answers: version ');
      expect(await base.view()).toMatchObject({
        applicationStatus: 'done',
        dataVersion: expect.stringMatching(/^\d+\./),
      });
      expect(await variables(databases(), base)).toContain('GREETING=hello $(id)');

      expect((await base.view()).connection.external).toBeNull();
      await base.do('saveExternalPort', { externalPort: port });
      const note = randomUUID();
      await inSession(kind, await external(base), (session) => session.write('note', note));
      const kept = async (step: string): Promise<void> =>
        expect(await inSession(kind, await external(base), (session) => session.read('note')), step).toBe(
          note,
        );

      expect(await base.do('stop')).toMatchObject({ applicationStatus: 'idle' });
      await expect(inSession(kind, await external(base), (session) => session.read('note'))).rejects.toThrow(
        refusedBy,
      );
      expect(await base.do('start')).toMatchObject({ applicationStatus: 'done' });
      await kept('after stop and start');

      await base.do('update', { args, memoryLimit: '700m' });
      expect(await base.do('reload', { appName: `life-${kind}` })).toMatchObject({
        applicationStatus: 'done',
        args,
      });
      await kept('after reload');
      expect(
        (await inspected(databases(), base))
          .map(({ HostConfig, Args }) => `${HostConfig.Memory} ${JSON.stringify(Args)}`)
          .join(),
      ).toMatch(new RegExp(`^${700 * 1024 * 1024} .*42`));

      // At once, for whoever comes in from now on.
      const former = await external(base);
      for (const field of passwords) {
        const password = `x${first[field] ?? ''}`;
        // The answer of a change tells no secret; `one` does.
        expect(await base.do('update', { [field]: password })).toMatchObject({ [field]: dots });
        expect(await base.view()).toMatchObject({ [field]: password });
      }
      await expect(inSession(kind, former, (session) => session.read('note'))).rejects.toThrow(refusedBy);
      await kept('after other passwords');
      const before = await containers(databases(), base);
      const rebuilt = await base.deploy('rebuild');
      expect(await containers(databases(), base)).not.toEqual(before);
      await kept('after the rebuild with other passwords');
      expect(await base.log(rebuilt.deploymentId)).not.toContain(signs.slice(0, 12));
      // A list of processes would show it to everybody on the server.
      expect(await output(databases().berth.services, 'ps', '-ewwo', 'args')).not.toContain(
        signs.slice(0, 12),
      );

      await expectPortClosed(base, note);
      await base.do('update', { appName: `Renamed-${kind}` });
      await base.do('move', { targetEnvironmentId: databases().otherEnvironmentId });
      await base.deploy();
      await kept('after another name and environment');
      expect(await services(databases(), base)).toBe(`Renamed-${kind} 1/1`);
      await until('its own log is there', async () =>
        JSON.stringify(await base.do('readLogs', { tail: 1000 })).includes(says),
      );

      await base.do('remove');
      expect((await base.ask('one')).status).toBe(404);
      expect(await services(databases(), base)).toBe('');
      await until('its volume is gone', async () => (await volumes(databases(), base)).length === 0);
    },
  );
}

/** Null closes the port, and another one opens where it is free. */
async function expectPortClosed(base: Base, note: string): Promise<void> {
  const { kind } = base;
  const { port } = lives[kind];
  const former = await external(base);
  expect(await base.do('saveExternalPort', { externalPort: null })).toMatchObject({ externalPort: null });
  await expect(
    inSession(kind, former, (session) => session.read('note')),
    'a closed port',
  ).rejects.toThrow(refusedBy);
  await base.do('saveExternalPort', { externalPort: port + 100 });
  expect(await inSession(kind, await external(base), (session) => session.read('note'))).toBe(note);
}

export async function external(base: Base): Promise<string> {
  const { connection } = await base.view();
  if (connection.external === null) throw new Error('The database is not open to the outside.');
  return connection.external;
}

/** Of the containers that run now. */
export async function inspected(databases: DatabaseFixture, base: Base): Promise<InspectedContainer[]> {
  return Promise.all(
    (await containers(databases, base)).map((id) => dockerOf(databases.berth.services).inspect(id)),
  );
}

export function containers({ berth }: DatabaseFixture, base: Base): Promise<string[]> {
  return dockerOf(berth.services).containers(`berth.database=${base.id}`);
}

export function volumes({ berth }: Pick<DatabaseFixture, 'berth'>, base: Base): Promise<string[]> {
  return dockerOf(berth.services).volumes(`berth.database=${base.id}`);
}

async function variables(databases: DatabaseFixture, base: Base): Promise<string[]> {
  return (await inspected(databases, base)).flatMap(({ Config }) => Config.Env);
}

export async function services({ berth }: DatabaseFixture, base: Base): Promise<string> {
  return (await dockerOf(berth.services).services(`berth.database=${base.id}`)).join('\n');
}
