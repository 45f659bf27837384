/** PostgreSQL as far as restores ask for it: databases with tables, roles, and volumes that they stand in. */
import type { BesideServers } from '../../server/src/modules/backup/runs/restore.ts';
import type { DatabaseServer, Programs } from '../../server/src/modules/backup/database-source.ts';
import type { DatabaseProgram } from '../../server/src/modules/backup/programs/database-program.ts';
import { AppError } from '../../server/src/domain/errors.ts';
import { ProgramFailed } from '../../server/src/ports/engine/engine-program.ts';

export interface Volume {
  databases: Map<string, string[]>;
  roles: Set<string>;
}

export interface DatabaseServers {
  volumes: Map<string, Volume>;
  /** Servers by the name of their service, with the volume they stand on. */
  servers: Map<string, string>;
  /** The volume of the database `d` itself. */
  current: string;
  isRunning: boolean;
  /** The database was started and stopped again for a restore. */
  starts: string[];
  /** It never ran, or does not start. */
  neverRan: boolean;
  /** How often connections were let in again. */
  opened: number;
  /** It does not come up on another volume. */
  refusesChange: boolean;
  /** What answers the question for tables, in the place of their number. */
  count: string | undefined;
  beside: BesideServers;
  programs: Programs;
}

export const tablesDump = (...tables: string[]): string => JSON.stringify(tables);

export function databaseServers(): DatabaseServers {
  const own = { databases: new Map([['shop', ['orders']]]), roles: new Set(['shop']) };
  const state: DatabaseServers = {
    volumes: new Map([['first', own]]),
    servers: new Map(),
    current: 'first',
    isRunning: true,
    starts: [],
    neverRan: false,
    opened: 0,
    refusesChange: false,
    count: undefined,
    beside: besideOf(() => state),
    programs: programsOf(() => state),
  };
  return state;
}

// Nothing is asked of its engine: programs are the ones below.
const serverOf = (service: string): DatabaseServer =>
  ({
    kind: 'postgres',
    name: 'shop',
    service,
    image: 'postgres:17',
    network: 'n',
    user: 'shop',
    password: 'top-secret',
    rootPassword: '',
  }) as unknown as DatabaseServer;

function besideOf(state: () => DatabaseServers): BesideServers {
  return {
    async start(_, { service, volume }) {
      state().servers.set(service, volume);
      // As the image makes it at the first start.
      state().volumes.set(volume, { databases: new Map([['shop', []]]), roles: new Set(['shop']) });
      return serverOf(service);
    },
    stop: async (_, { service }) => void state().servers.delete(service),
    removeVolume: async (_, { volume }) => void state().volumes.delete(volume),
    removeContainers: async () => undefined,
    async changeOver(_, { volume }) {
      const previousVolume = state().current;
      if (state().refusesChange) throw new AppError('PRECONDITION_FAILED', 'The data was not accepted.');
      state().current = volume;
      return { previousVolume };
    },
    volumeOf: async () => state().current,
    isOn: async (_, volume) => state().current === volume,
    running: async () => (state().isRunning ? serverOf('live') : undefined),
    async whileStarted(_, work) {
      if (state().neverRan) return false;
      state().starts.push('started');
      await work(serverOf('live')).finally(() => state().starts.push('stopped'));
      return true;
    },
    ownDatabase: async () => 'shop',
  };
}

function programsOf(state: () => DatabaseServers): Programs {
  const volumeOf = ({ service }: DatabaseServer): Volume => {
    const found = state().volumes.get(
      service === 'live' ? state().current : (state().servers.get(service) ?? ''),
    );
    if (!found) throw new AppError('SERVICE_UNAVAILABLE', `No server is called ${service}.`);
    return found;
  };
  return {
    async text(server, { argv, env }) {
      const { databases } = volumeOf(server);
      if (argv[0] === 'createdb') {
        const name = argv.at(-1) ?? '';
        if (databases.has(name))
          throw new ProgramFailed('createdb', 1, [`database "${name}" already exists`]);
        databases.set(name, []);
        return '';
      }
      if ('OPEN' in env) state().opened += 1;
      if (argv[0] === 'sh') return inPlace(volumeOf(server), env);
      if (argv.at(-1)?.includes('datname')) return [...databases.keys()].join('\n');
      return state().count ?? String(databases.get(String(env['PGDATABASE']))?.length);
    },
    output: (server, program, { input }) => ran(volumeOf(server), program, input),
  };
}

/** The scripts of a restore inside the running server, told apart by the statements that they bring. */
function inPlace({ databases, roles }: Volume, env: DatabaseProgram['env']): string {
  const [name, fresh, former] = ['NAME', 'FRESH', 'FORMER'].map((key) => String(env[key]));
  if (name === undefined || fresh === undefined || former === undefined) throw new Error('No names.');
  if ('HAS' in env) return databases.has(fresh) ? '1' : '0';
  if ('CREATE' in env) databases.set(fresh, []);
  if ('DROP' in env) databases.delete(fresh);
  if ('PREPARE' in env) roles.add(String(env['ROLES']));
  if ('SWAP' in env) {
    const present = databases.get(name);
    if (present) databases.set(former, present);
    databases.set(name, databases.get(fresh) ?? []);
    databases.delete(fresh);
  }
  return '';
}

async function* ran(
  { databases, roles }: Volume,
  { argv: [name, ...words], env, isAlone }: DatabaseProgram,
  input: AsyncIterable<Uint8Array> | undefined,
): AsyncGenerator<Uint8Array> {
  const database = String(env['PGDATABASE']);
  if (name === 'pg_dump') yield Buffer.from(tablesDump(...(databases.get(database) ?? [])));
  if (name === 'pg_dumpall') yield Buffer.from([...roles].join(' '));
  if (input === undefined) return;
  const text = await textOf(input);
  if (name === 'psql' && words.includes('--quiet')) for (const role of text.split(' ')) roles.add(role);
  if (name !== 'pg_restore' && !('LOADER' in env)) return;
  const tables: unknown = text.startsWith('[') ? JSON.parse(text) : undefined;
  if (!Array.isArray(tables) || !(databases.has(database) || isAlone))
    throw new ProgramFailed('pg_restore', 1, ['input file does not appear to be a valid archive']);
  if (isAlone) return yield Buffer.from(text);
  databases.set(database, [...(databases.get(database) ?? []), ...tables.map(String)]);
}

async function textOf(input: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of input) parts.push(part);
  return Buffer.concat(parts).toString();
}
