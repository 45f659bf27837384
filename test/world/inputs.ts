/** A good input for every procedure: its own example, with the ids and names of a world in it. */
import { databaseKindNames } from '../../server/src/domain/database-kind.ts';
import { exampleInput } from '../../server/src/procedure/describe/example.ts';
import { describeType, propertiesOf } from '../../server/src/procedure/describe/describe-type.ts';
import { inlineSchemaOf } from '../../server/src/procedure/describe/json-schema.ts';
import type { NamedProcedure } from '../../server/src/procedure/describe/listing.ts';
import type { ResourceKind } from '../../server/src/procedure/procedure.ts';
import { certificateChain } from './certificates.ts';
import type { Fixtures } from './fixtures.ts';
import type { PersonName } from './people.ts';
import type { World } from './world.ts';

export interface InputPlace {
  world: World;
  /** Who calls: what is one's own differs from person to person. */
  who: PersonName;
}

/** Everybody's, where a world is seeded with its hash. */
export const password = 'correct-horse-battery';

type Hint = (fixtures: Fixtures, place: InputPlace) => Record<string, unknown>;

const reload =
  (name: string): Hint =>
  (fixtures) => ({ appName: fixtures[name] });

/** Of whoever has a second factor. */
const codeOf = ({ world, who }: InputPlace): { code?: string } =>
  who === 'elsewhere' ? { code: world.people.elsewhere.recoveryCode } : {};

/** Where the example with the right ids is not enough for a call that succeeds. */
const hints: Readonly<Record<string, Hint>> = {
  'user.createApiKey': (_fixtures, place) => ({ metadata: { organizationId: organizationOf(place) } }),
  'user.deleteApiKey': (_fixtures, { world, who }) => ({
    apiKeyId: world.people[who === 'stranger' ? 'owner' : who].apiKeyId,
  }),
  'user.changePassword': () => ({ currentPassword: password }),
  'user.delete': (_fixtures, place) => ({ password, ...codeOf(place) }),
  'user.twoFactorSetUp': () => ({ password }),
  'user.twoFactorDisable': (_fixtures, place) => ({ password, ...codeOf(place) }),
  'user.twoFactorNewRecoveryCodes': (_fixtures, place) => ({ password, ...codeOf(place) }),
  'user.endSession': (_fixtures, { world, who }) => ({ sessionId: world.people[who].sessionId }),
  'organization.accept': (_fixtures, { world, who }) => ({ token: world.people[who].invitation }),
  'environment.update': ({ otherEnvironmentId }) => ({
    environmentId: otherEnvironmentId,
    description: 'changed',
  }),
  'environment.remove': ({ otherEnvironmentId }) => ({ environmentId: otherEnvironmentId }),
  'project.remove': ({ emptyProjectId }) => ({ projectId: emptyProjectId }),
  // Each has a name of its own made, so that one may be created beside another.
  'application.create': () => ({ name: 'another', appName: undefined }),
  'application.update': () => ({ description: 'changed' }),
  'application.reload': reload('appName'),
  'application.move': ({ otherEnvironmentId }) => ({ targetEnvironmentId: otherEnvironmentId }),
  'application.saveGitProvider': () => ({ customGitUrl: 'https://127.0.0.1:1/none.git' }),
  'deployment.rollback': ({ deploymentId }) => ({ deploymentId }),
  'domain.create': ({ applicationId, prefix }) => ({ applicationId, host: `new.${prefix}.example.com` }),
  'domain.update': ({ host }) => ({ host }),
  'template.create': ({ prefix }) => ({
    definition: undefined,
    templateCatalogueId: undefined,
    host: `status.${prefix}.example.com`,
  }),
  'port.create': ({ prefix }) => ({ publishedPort: 40_000 + Number(prefix.slice(1)), publishMode: 'host' }),
  // Without it, of the machine of Berth itself, which is the installation's alone.
  'server.metrics': ({ serverId }) => ({ serverId }),
  // Its name confirms that it is meant.
  'server.forget': () => ({ name: 'node-1' }),
  'templateCatalogue.create': () => ({ url: 'https://127.0.0.1:1/none.git' }),
  'registry.create': () => ({ registryUrl: '127.0.0.1:1' }),
  'registry.test': () => ({ registryUrl: '127.0.0.1:1' }),
  'certificate.create': () => ({
    certificateData: certificateChain.certificate,
    privateKey: certificateChain.privateKey,
  }),
  'project.duplicate': () => ({ name: 'copy' }),
  'environment.duplicate': () => ({ name: 'copy' }),
  ...Object.fromEntries(
    databaseKindNames.flatMap((kind): [string, Hint][] => [
      [`${kind}.create`, ({ prefix }) => ({ appName: `${prefix}-new-${kind}` })],
      [`${kind}.reload`, reload(`${kind}AppName`)],
      [`${kind}.saveExternalPort`, () => ({ externalPort: null })],
      [`${kind}.move`, ({ otherEnvironmentId }) => ({ targetEnvironmentId: otherEnvironmentId })],
    ]),
  ),
  'destination.remove': ({ freeDestinationId }) => ({ destinationId: freeDestinationId }),
  'dnsProvider.remove': ({ freeDnsProviderId }) => ({ dnsProviderId: freeDnsProviderId }),
  'sshKey.remove': ({ freeSshKeyId }) => ({ sshKeyId: freeSshKeyId }),
  'sshKey.create': () => ({ privateKey: certificateChain.privateKey }),
};

export function inputFor({ path, procedure }: NamedProcedure, place: InputPlace): Record<string, unknown> {
  const fixtures = place.world.own;
  const ofKind = new Map(procedure.access.resources.map(({ kind, field }) => [field, kind]));
  const input = Object.entries(exampleOf(path, procedure)).map(([name, value]): [string, unknown] => {
    const kind = ofKind.get(name);
    if (kind !== undefined)
      return [name, Array.isArray(value) ? [idOf(fixtures, kind)] : idOf(fixtures, kind)];
    return [name, name.endsWith('Id') ? (fixtures[name] ?? value) : value];
  });
  return { ...Object.fromEntries(input), ...hints[path]?.(fixtures, place) };
}

const examples = new Map<string, Record<string, unknown>>();

/** The example of a procedure, made once: it walks the whole schema. */
export function exampleOf(
  path: string,
  procedure: NamedProcedure['procedure'],
): Readonly<Record<string, unknown>> {
  const example = examples.get(path) ?? exampleInput(procedure);
  examples.set(path, example);
  return example;
}

/** Fields of the good input that another id takes the place of. */
const instead: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['all', 'latest'].flatMap((name) =>
      ['databaseId', 'composeId', 'previewDeploymentId'].map((field) => [
        `deployment.${name} ${field}`,
        ['applicationId'],
      ]),
    ),
  ),
  ...Object.fromEntries(
    [...databaseKindNames, 'service', 'compose'].map((kind) => [`mount.create ${kind}Id`, ['applicationId']]),
  ),
  ...Object.fromEntries(
    ['create', 'byDatabase'].flatMap((name) => [
      [`backup.${name} databaseId`, ['postgresId']],
      ...databaseKindNames.map((kind) => [`backup.${name} ${kind}Id`, ['postgresId', 'databaseType']]),
    ]),
  ),
  'registry.test registryId': ['registryUrl', 'username', 'password'],
  ...Object.fromEntries(
    ['create', 'byService', 'runsByService', 'volumes', 'restore', 'useKeptVolume', 'removeFormerVolume'].map(
      (name) => [`volumeBackup.${name} composeId`, ['applicationId']],
    ),
  ),
  ...Object.fromEntries(
    ['create', 'byService', 'runsByService', 'volumes', 'restore'].map((name) => [
      `volumeBackup.${name} redisId`,
      ['applicationId'],
    ]),
  ),
  'backup.useFormerVolume applicationId': ['databaseId'],
  'backup.useFormerVolume composeId': ['databaseId'],
  'schedule.create composeId': ['applicationId'],
  'schedule.all composeId': ['applicationId'],
  'webhook.all composeId': ['applicationId'],
  'previewDeployment.all composeId': ['applicationId'],
  'previewDeployment.create composeId': ['applicationId'],
  'previewDeployment.waiting composeId': ['applicationId'],
  'previewDeployment.approve composeId': ['applicationId'],
};

/** What an entry of a list needs besides the id that it names. */
const itemsOfLists: Readonly<Record<string, Record<string, unknown>>> = {
  previewDatabases: { from: 'empty' },
};

/** The good input with this id in the field; in a list when the field takes one. */
export function inputWith(
  procedure: NamedProcedure,
  place: InputPlace,
  field: string,
  id: string,
): Record<string, unknown> {
  const left = instead[`${procedure.path} ${field}`] ?? [];
  const good = Object.fromEntries(
    Object.entries(inputFor(procedure, place)).filter(([name]) => !left.includes(name)),
  );
  const [list = ''] = field.split('.');
  const item = itemsOfLists[list];
  if (item !== undefined) return { ...good, [list]: [put(item, field.split('.').slice(1), id)] };
  return put(good, field.split('.'), takesList(procedure, field) ? [id] : id);
}

function takesList({ procedure }: NamedProcedure, field: string): boolean {
  let schema = inlineSchemaOf(procedure.input, 'input');
  for (const part of field.split('.'))
    schema = propertiesOf(schema).find(({ name }) => name === part)?.schema ?? {};
  return describeType(schema).includes('[]');
}

function put(
  input: Record<string, unknown>,
  [first = '', ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const inside = input[first];
  const below =
    typeof inside === 'object' && inside !== null ? Object.fromEntries(Object.entries(inside)) : {};
  return { ...input, [first]: rest.length === 0 ? value : put(below, rest, value) };
}

/** Ids of a field that may name several kinds. */
const anyOf: Readonly<Record<string, string>> = { service: 'applicationId', database: 'mysqlId' };

/** The id of the fixtures' thing of this kind. */
export function idOf(fixtures: Fixtures, kind: ResourceKind): string {
  const id = fixtures[anyOf[kind] ?? `${kind}Id`];
  if (id === undefined) throw new Error(`An fixtures has no ${kind}: give it one in test/world/fixtures.ts.`);
  return id;
}

function organizationOf({ world, who }: InputPlace): string {
  return (who === 'stranger' ? world.foreign : world.own).organizationId;
}
