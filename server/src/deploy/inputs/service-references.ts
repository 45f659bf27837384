/**
 * The values that a variable can refer to by the name of a service of its environment (decisions 3): the
 * address of a database and its parts, the host of an application.
 */
import type { ServiceReferences } from '../../domain/variables/env.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { ApplicationRecord, ComposeRecord, DatabaseRecord } from '../../db/tables.ts';
import { databaseKind } from '../../modules/database/kinds.ts';

/** The service whose variables refer to others. */
export interface Consumer {
  organizationId: string;
  environmentId: string;
  serverId: string | null;
  name: string;
  /** Set for a compose service that is the preview of a pull request. */
  previewOf?: { isTrusted: boolean } | null;
  /** Of such a compose service, the id of the preview. */
  composeId?: string;
  /** Set for the preview of an application. */
  preview?: { previewDeploymentId: string; isTrusted: boolean };
}

/** The preview that a consumer is; undefined for any other. */
export function previewOf({ preview, previewOf: copied, composeId }: Consumer): Consumer['preview'] {
  return copied && composeId !== undefined
    ? { previewDeploymentId: composeId, isTrusted: copied.isTrusted }
    : preview;
}

type Place = Pick<Consumer, 'organizationId' | 'environmentId'>;

export interface ReferenceParts {
  databases(place: Place): Promise<DatabaseRecord[]>;
  /** The databases in whose place those of a preview are. */
  branches(of: { databaseId: string }): Promise<{ sourceId: string | null }[]>;
  applications(place: Place): Promise<ApplicationRecord[]>;
  composes(place: Place): Promise<ComposeRecord[]>;
  /** Public address of a server; null while nobody has set one. */
  serverAddress(serverKey: string): Promise<string | null>;
  /** Addresses of a database; the external one only when `host` and a published port are known. */
  connectionOf(database: DatabaseRecord, host: string | null): { internal: string; external: string | null };
  /** How sentences name the server. */
  serverName(serverKey: string): Promise<string>;
}

type Found = ReturnType<ServiceReferences['find']>;
type Fields = (field: string) => Exclude<Found, undefined>;

/** Reads the services of the consumer's environment. */
export async function serviceReferences(
  parts: ReferenceParts,
  consumer: Consumer,
): Promise<ServiceReferences> {
  const { organizationId, environmentId } = consumer;
  const place = { organizationId, environmentId };
  const preview = previewOf(consumer);
  const isStranger = preview?.isTrusted === false;
  const [databases, applications, composes] = await Promise.all([
    namedDatabases(parts, await parts.databases(place), preview),
    isStranger ? [] : parts.applications(place),
    isStranger ? [] : parts.composes(place),
  ]);
  const given = new Set<string>();
  const all = [
    ...(await Promise.all(databases.map((one) => databaseFields(parts, consumer, one, given)))),
    ...(await Promise.all(applications.map((one) => applicationFields(parts, consumer, one)))),
    ...composes
      .filter(({ previewOf }) => previewOf === null)
      .map(({ name }) => ({ name, fields: composeFields })),
  ];
  const byName = Map.groupBy(all, ({ name }) => name);
  return {
    given,
    find(name, field) {
      const [found, other] = byName.get(name) ?? [];
      if (other)
        return { refused: `several services of this environment are called ${name}; rename all but one` };
      return found?.fields(field);
    },
  };
}

/**
 * Databases by the names that references use: a preview's own in the place of those that they were made of. A
 * preview without variables sees its own alone.
 */
async function namedDatabases(
  { branches }: ReferenceParts,
  all: readonly DatabaseRecord[],
  preview: Consumer['preview'],
): Promise<DatabaseRecord[]> {
  const own = new Map<string | null, DatabaseRecord>();
  if (preview)
    for (const database of all)
      if (database.previewDeploymentId === preview.previewDeploymentId)
        for (const { sourceId } of await branches({ databaseId: database.databaseId }))
          own.set(sourceId, database);
  return all.flatMap((database) => {
    if (database.previewDeploymentId !== null) return [];
    const mine = own.get(database.databaseId);
    if (mine) return [{ ...mine, name: database.name }];
    return preview?.isTrusted === false ? [] : [database];
  });
}

interface Named {
  name: string;
  fields: Fields;
}

const databaseFieldNames = ['URL', 'HOST', 'PORT', 'USER', 'PASSWORD', 'DATABASE'];

async function databaseFields(
  parts: ReferenceParts,
  consumer: Consumer,
  database: DatabaseRecord,
  given: Set<string>,
): Promise<Named> {
  const { name, kind, databasePassword } = database;
  const { server, port } = databaseKind(kind);
  const at = await databasePlace(parts, consumer, database);
  return {
    name,
    fields(field) {
      if (!databaseFieldNames.includes(field))
        return { refused: `${name} is a database, which has ${databaseFieldNames.join(', ')}` };
      if ('refused' in at) return at;
      const { user, password, database: databaseName } = server.login(database);
      const values: Record<string, string> = {
        URL: at.url,
        HOST: at.host,
        PORT: String(at.port ?? port),
        USER: user,
        PASSWORD: password,
        DATABASE: databaseName,
      };
      for (const secret of [password, databasePassword, encodeURIComponent(password)]) given.add(secret);
      return { value: values[field] ?? '' };
    },
  };
}

/** The name on the network; for a consumer on another server, the published address. */
async function databasePlace(
  parts: ReferenceParts,
  consumer: Consumer,
  database: DatabaseRecord,
): Promise<{ url: string; host: string; port?: number } | { refused: string }> {
  const host = database.releasedAppName ?? database.appName;
  if (serverKeyOf(database) === serverKeyOf(consumer))
    return { url: parts.connectionOf({ ...database, appName: host }, null).internal, host };
  const { name, kind, externalPort } = database;
  const address = await parts.serverAddress(serverKeyOf(database));
  const { external } = parts.connectionOf(database, address);
  if (address !== null && external !== null && externalPort !== null)
    return { url: external, host: address, port: externalPort };
  const needed =
    externalPort === null
      ? `set one with ${kind}.saveExternalPort`
      : 'the address of its server is not set (setting serverIp)';
  return {
    refused:
      `the database ${name} is on ${await parts.serverName(serverKeyOf(database))} and ${consumer.name} on ` +
      `${await parts.serverName(serverKeyOf(consumer))}; from another server it is reached by its ` +
      `published port only: ${needed}`,
  };
}

async function applicationFields(
  parts: ReferenceParts,
  consumer: Consumer,
  application: ApplicationRecord,
): Promise<Named> {
  const { name, appName, releasedAppName } = application;
  const isNear = serverKeyOf(application) === serverKeyOf(consumer);
  const places = isNear
    ? ''
    : `${await parts.serverName(serverKeyOf(application))} and ${consumer.name} on ` +
      `${await parts.serverName(serverKeyOf(consumer))}`;
  return {
    name,
    fields(field) {
      if (field !== 'HOST') return { refused: `${name} is an application, which has only HOST` };
      if (isNear) return { value: releasedAppName ?? appName };
      return {
        refused: `the application ${name} is on ${places}; from another server it is reached by its domain`,
      };
    },
  };
}

const composeFields: Fields = () => ({
  refused:
    'that is a compose service; its services are reached as <appName>_<service> on the network of this ' +
    'environment',
});

/** Whether any of these blocks may refer to a service; if not, no services have to be read. */
export function mayReferTo(blocks: readonly (string | null)[]): boolean {
  return blocks.some((block) => block?.includes('${{') === true);
}
