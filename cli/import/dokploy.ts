/** Another server of the interface's family, through its interface; its vendor's words by their table. */
import type { z } from 'zod';
import { databaseKindNames, type DatabaseKindName } from '../../server/src/domain/database-kind.ts';
import { ownRecord } from '../../server/src/domain/family-words.ts';
import {
  applicationSettings,
  composeSettings,
  databaseSettings,
} from '../../server/src/modules/berth-file/record.ts';
import { fieldsOf } from '../connection/config.ts';
import { arrayOf, variablesIn } from '../file/installed.ts';
import { canonical, defaultOf, type Fields } from '../file/kinds.ts';
import { UsageError } from '../usage-error.ts';
import { listsOf } from './dokploy-lists.ts';
import { dataNote, textOf, type Imported, type ImportedService, type Variables } from './imported.ts';

export interface FamilySource {
  url: string;
  key: string;
  /** Name of the project; absent: the only one. */
  project: string | undefined;
  /** Destination of this Berth that backups go to; absent: they are left out. */
  destination: string | undefined;
  signal: AbortSignal;
}

type Read = (path: string, input?: Readonly<Record<string, string>>) => Promise<unknown>;

/** One project of it, and the places that services stand in: environments, or the project itself. */
export async function openFamily(
  source: FamilySource,
): Promise<{ read: Read; project: Fields; places: Fields[] }> {
  const read = readerOf(source);
  const projects = arrayOf(await read('project.all'));
  const names = projects.map(({ name }) => textOf(name));
  const wanted = source.project ?? (projects.length === 1 ? names[0] : undefined);
  const listed = projects.find(({ name, projectId }) => name === wanted || projectId === wanted);
  if (!listed)
    throw new UsageError(
      `Which project? ${source.url} has ${names.join(', ') || 'none'}. Name it: berth import ` +
        'dokploy PROJECT.',
    );
  // Lists of some servers are without variables.
  const { projectId, env } = listed;
  const project =
    env === undefined ? fieldsOf(await read('project.one', { projectId: textOf(projectId) })) : listed;
  // Older ones have no environments; their services stand in the project.
  const places =
    project['environments'] === undefined
      ? [{ ...project, name: 'production' }]
      : arrayOf(project['environments']);
  return { read, project, places };
}

export async function importFamily(source: FamilySource): Promise<Imported> {
  const { read, project, places } = await openFamily(source);
  const notes: string[] = [];
  const environments: Record<string, { variables?: Variables; services: Record<string, ImportedService> }> =
    {};
  for (const place of places) {
    const services: Record<string, ImportedService> = {};
    for (const kind of ['application', 'compose', ...databaseKindNames] as const)
      for (const row of arrayOf(place[kind === 'application' ? 'applications' : kind])) {
        const record = fieldsOf(ownRecord(`${kind}.one`, await read(`${kind}.one`, idOf(kind, row))));
        const name = textOf(record['name']);
        const key = services[name] === undefined ? name : textOf(record['appName']);
        services[key] = serviceOf(kind, key, record, source, notes);
      }
    for (const kind of kindsOfOthers)
      for (const row of arrayOf(place[kind]))
        notes.push(
          `${textOf(row['name'])}: there are no databases of the kind ${kind} here; it was left out.`,
        );
    environments[textOf(place['name'])] = {
      ...variablesField(place['env'], textOf(place['name']), notes),
      services,
    };
  }
  const { production, ...others } = environments;
  return {
    project: textOf(project['name']),
    ...(textOf(project['description']) === '' ? {} : { description: textOf(project['description']) }),
    ...variablesField(project['env'], textOf(project['name']), notes),
    services: production?.services ?? {},
    environments: { ...(production?.variables ? { production: { ...production } } : {}), ...others },
    notes,
  };
}

export function idOf(kind: string, row: Fields): Record<string, string> {
  return { [`${kind}Id`]: textOf(row[`${kind}Id`]) };
}

function readerOf({ url, key, signal }: FamilySource): Read {
  const address = url.replace(/\/+$/, '');
  return async (path, input = {}) => {
    let response: Response;
    try {
      response = await fetch(`${address}/api/${path}?${new URLSearchParams(input).toString()}`, {
        headers: { 'x-api-key': key, accept: 'application/json' },
        signal,
        redirect: 'error',
      });
    } catch (cause) {
      throw new UsageError(`${url} cannot be reached. Check the address of the other installation.`, {
        cause,
      });
    }
    if (!response.ok)
      throw new UsageError(
        `${url} answers ${path} with ${response.status}. Check that the key belongs to it and may read.`,
      );
    const value: unknown = await response.json();
    return value;
  };
}

function variablesField(env: unknown, where: string, notes: string[]): { variables?: Variables } {
  const read = variablesIn(env);
  if (!read) notes.push(`The variables of ${where} are not in the form NAME=value; they were left out.`);
  return read && read.size > 0 ? { variables: Object.fromEntries(read) } : {};
}

/** Settings of the family's that say in the engine's form what has a field of its own here. */
const engineForms = [
  'healthCheckSwarm',
  'restartPolicySwarm',
  'placementSwarm',
  'updateConfigSwarm',
  'rollbackConfigSwarm',
  'modeSwarm',
  'labelsSwarm',
  'networkSwarm',
  'endpointSpecSwarm',
  'ulimitsSwarm',
];
/** Databases of the family's that are none of ours. */
const kindsOfOthers = ['libsql'];
/** Ids of things of the other installation. */
const foreignIds = ['serverId', 'registryId', 'githubId', 'customGitSSHKeyId', 'networks'];

function serviceOf(
  kind: 'application' | 'compose' | DatabaseKindName,
  key: string,
  read: Fields,
  source: FamilySource,
  notes: string[],
): ImportedService {
  const record = withGitHost(read);
  const shape: Readonly<Record<string, z.ZodType>> =
    kind === 'application'
      ? applicationSettings
      : kind === 'compose'
        ? composeSettings
        : databaseSettings(kind);
  const settings: Record<string, unknown> = {};
  for (const [field, schema] of Object.entries({ ...shape })) {
    const value = record[field];
    const isUsual = canonical(value) === canonical(defaultOf(kind, field)) || value === false;
    if (isUsual && field !== 'autoDeploy') continue;
    if (value === undefined || value === null) continue;
    if (foreignIds.includes(field))
      notes.push(`${key}: ${field} refers to something in the other installation and was left out.`);
    else if (schema.safeParse(value).success) settings[field] = value;
    else notes.push(`${key}: ${field} is in a form that is not supported here and was left out.`);
  }
  for (const field of engineForms)
    if (canonical(record[field]) !== 'null')
      notes.push(`${key}: ${field} was left out; here it has a field of its own.`);
  for (const field of ['security', 'volumeBackups'])
    if (arrayOf(record[field]).length > 0)
      notes.push(`${key}: ${arrayOf(record[field]).length} of ${field} were left out.`);
  if (arrayOf(record['secretEnvNames']).length > 0)
    notes.push(`${key}: secret variables cannot be read; set them again.`);
  if (kind !== 'application' && kind !== 'compose')
    notes.push(
      dataNote(key),
      `${key}: it gets a new password; write \${{${key}.URL}} where its address is used.`,
    );
  else if (arrayOf(record['mounts']).some(({ type }) => type === 'volume')) notes.push(dataNote(key));
  return {
    kind,
    ...(textOf(record['name']) === key ? {} : { name: textOf(record['name']) }),
    ...(textOf(record['description']) === '' ? {} : { description: textOf(record['description']) }),
    ...settings,
    ...variablesField(record['env'], key, notes),
    ...listsOf({ kind, key, destination: source.destination, notes }, record),
  };
}

/** The family has fields for each git host; ours are the same for all. */
function withGitHost(record: Fields): Fields {
  const host = textOf(record['sourceType']);
  const of = (field: string): unknown => record[`${host}${field}`];
  if (!['gitlab', 'bitbucket', 'gitea'].includes(host) || of('Owner') === undefined) return record;
  return {
    ...record,
    owner: of('Owner'),
    repository: of('Repository'),
    branch: of('Branch'),
    buildPath: of('BuildPath') ?? '/',
  };
}
