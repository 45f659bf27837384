/** Ids of things outside the project as names: a file that names a destination fits another Berth, too. */
import { BerthError } from '../../client/berth-error.ts';
import { itemsOf } from '../words/parts/context.ts';
import type { Caller } from './caller.ts';
import { fieldsOf } from '../connection/config.ts';
import type { Fields } from './kinds.ts';

/** Field → whose id it is, where these are listed. */
const named: Readonly<
  Record<string, { list: 'server' | 'sshKey' | 'registry' | 'destination' | 'gitProvider'; id: string }>
> = {
  serverId: { list: 'server', id: 'serverId' },
  buildServerId: { list: 'server', id: 'serverId' },
  customGitSSHKeyId: { list: 'sshKey', id: 'sshKeyId' },
  registryId: { list: 'registry', id: 'registryId' },
  destinationId: { list: 'destination', id: 'destinationId' },
  githubId: { list: 'gitProvider', id: 'gitProviderId' },
};

/** A database that settings of its environment name. */
export interface NamedDatabase {
  id: string;
  /** What it stands under in a file. */
  key: string;
  appName: string;
}

export interface Names {
  /** The value with names in place of ids, where there is one of its own for it. */
  shown(field: string, value: unknown): Promise<unknown>;
  /** The value with ids in place of names. */
  ids(field: string, value: unknown): Promise<unknown>;
  /** The environments of the project, by name. */
  environments: Map<string, string>;
  /** The databases of each, by the name of the environment. */
  databases: Map<string, NamedDatabase[]>;
  /** The same for settings of services of this environment. */
  within(environment: string): Names;
}

export function createNames(caller: Caller): Names {
  const lists = new Map<string, Promise<Fields[]>>();
  const rowsOf = (list: string): Promise<Fields[]> => {
    const present = lists.get(list) ?? readRows(caller, list);
    lists.set(list, present);
    return present;
  };
  const environments = new Map<string, string>();
  const databases = new Map<string, NamedDatabase[]>();
  const one = async (field: string, value: unknown, to: 'name' | 'id'): Promise<unknown> => {
    const row = named[field];
    if (!row || typeof value !== 'string' || value === '') return value;
    const rows = (await rowsOf(row.list)).map((fields) => ({ id: fields[row.id], name: fields['name'] }));
    const isOne = (name: unknown): boolean => rows.filter((other) => other.name === name).length === 1;
    const found =
      rows.find(({ id }) => id === value) ?? rows.find(({ name }) => name === value && isOne(name));
    if (!found) return value;
    return to === 'id' || !isOne(found.name) ? found.id : found.name;
  };
  const several = async (field: string, value: unknown, to: 'name' | 'id'): Promise<unknown> => {
    if (field !== 'networks' || !Array.isArray(value)) return one(field, value, to);
    const pairs = [...environments];
    return value.map((item: unknown) => {
      const pair = pairs.find(([name, id]) => name === item || id === item);
      return pair?.[to === 'name' ? 0 : 1] ?? item;
    });
  };
  const within = (environment: string | undefined): Names => {
    const convert = async (field: string, value: unknown, to: 'name' | 'id'): Promise<unknown> =>
      field === 'previewDatabases'
        ? withDatabases(databases.get(environment ?? '') ?? [], value, to)
        : several(field, value, to);
    return {
      environments,
      databases,
      within,
      shown: (field, value) => convert(field, value, 'name'),
      ids: (field, value) => convert(field, value, 'id'),
    };
  };
  return within(undefined);
}

/** Each of the list names a database by its key in the file, its appName or its id. */
function withDatabases(databases: readonly NamedDatabase[], value: unknown, to: 'name' | 'id'): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown) => {
    const { databaseId: written, ...others } = fieldsOf(item);
    const found =
      databases.find(({ id }) => id === written) ??
      databases.find(({ key }) => key === written) ??
      databases.find(({ appName }) => appName === written);
    return { databaseId: found?.[to === 'id' ? 'id' : 'key'] ?? written, ...others };
  });
}

/** Whoever may not list them writes ids. */
async function readRows(caller: Caller, list: string): Promise<Fields[]> {
  try {
    const answer: unknown = await caller(`${list}.all`, {});
    return itemsOf(Array.isArray(answer) ? answer : []).map(fieldsOf);
  } catch (error) {
    if (error instanceof BerthError && error.code === 'FORBIDDEN') return [];
    throw error;
  }
}
