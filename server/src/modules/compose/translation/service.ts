/** One service of a compose file, read key by key. Pure. */
import { parseSourcePath } from '../../../domain/git/git-source.ts';
import { parseImageReference } from '../../../domain/names/image-reference.ts';
import { reservedLabelPattern } from '../../../domain/names/names.ts';
import { serverNetwork } from '../../../ports/engine/engine.ts';
import type { YamlMap } from '../compose-file.ts';
import {
  containerOptions,
  forwardingOf,
  loggingOf,
  sharedMemory,
  sysctlsOf,
} from './container/container-part.ts';
import type { Definitions } from './definitions.ts';
import { usedFiles } from './definitions.ts';
import { dependenciesAt, type WantedDependency } from './dependencies.ts';
import { deployPart } from './deploy-section.ts';
import { healthCheckAt } from './health.ts';
import { checkKeys } from './keys.ts';
import { mountsAt, tmpfsAt } from './mounts.ts';
import { volumesFromAt, type VolumesFrom } from './whole/volumes-from.ts';
import { inFolder } from './paths.ts';
import type { PlannedBuild, PlannedFile, PlannedMount, PlannedService } from './plan.ts';
import { aliasesOf, insideOf, linksOf, withLinked, type Link } from './network-names.ts';
import { publishedPorts } from './ports.ts';
import { isOnServerNetwork, securityNotes } from './container/security.ts';
import { restartOf, type Restart } from './restart.ts';
import { proxyLabelNotes } from '../proxy-labels.ts';
import type { LinkedFiles } from './whole/linked-files.ts';
import {
  below,
  booleanAt,
  commandAt,
  durationAt,
  fault,
  lastOfEach,
  listAt,
  pairsAt,
  textAt,
  wordAt,
  type Place,
} from './values.ts';

/** A service before it is known what the others ask of it. */
export interface ReadService extends Omit<PlannedService, 'isOneShot' | 'mayEnd' | 'retries' | 'dependsOn'> {
  wants: {
    dependsOn: WantedDependency[];
    volumesFrom: VolumesFrom[];
    /** Other services, and the names by which this one looks them up. */
    links: Link[];
    /** A port of it is to be published, if only on the loopback address. */
    isPublished: boolean;
    restart: Restart;
  };
}

export interface ReadOptions {
  definitions: Definitions;
  field: string;
  /** Folder of the file in its repository; undefined for a file without one. */
  folder: string | undefined;
  notes: string[];
  /** Other files beside it, by their paths below the root of the repository. */
  files: LinkedFiles;
}

const withoutCheck = 'a version counts as healthy once it has run for 5 s';

export function readService(
  name: string,
  service: YamlMap,
  { definitions, field, folder, notes, files }: ReadOptions,
): ReadService {
  const place: Place = { field, where: `services.${name}` };
  notes.push(...checkKeys(service, place));
  const given = <T>(key: string, read: (value: unknown, at: Place) => T): T | undefined => {
    const value: unknown = service.get(key);
    return value === undefined || value === null ? undefined : read(value, below(place, key));
  };
  const { image, build } = sourceOf(service, place, folder, notes);
  const { labels, restartPolicy, ...deploy } = deployPart(service, place, notes);
  const health = healthOf(service, place, notes);
  const { ports, isPublished, notes: portNotes } = publishedPorts(service, name, place);
  const allLabels = labelsOf([...(given('labels', pairsAt) ?? []), ...labels], below(place, 'labels'));
  notes.push(...portNotes, ...proxyLabelNotes(name, allLabels));
  const links = linksOf(service, place);
  const volumesFrom = given('volumes_from', volumesFromAt) ?? [];
  const publishes = { isPublished, here: ports.length > 0 };
  const { isOnServer, inside } = networkOf(name, service, { place, notes, definitions, publishes });
  return {
    name,
    image,
    build,
    pull: pullPolicy(service, place),
    entrypoint: given('entrypoint', commandAt),
    command: given('command', commandAt),
    envFiles: given('env_file', envFilesAt) ?? [],
    environment: given('environment', pairsAt) ?? [],
    healthCheck: health,
    ...deploy,
    ports: inside === 'only' || isOnServer ? [] : ports,
    mounts: [
      ...byTarget(given('volumes', (value, at) => volumesAt(value, at, { definitions, folder, notes }))),
      ...byTarget(given('tmpfs', (value, at) => tmpfsAt(value, at, notes))),
      ...sharedMemory(service, place),
    ],
    files: withNarrowTold(notes, [
      ...byTarget(given('configs', (value, at) => usedFiles(value, at, definitions.configs, '/'))),
      ...byTarget(
        given('secrets', (value, at) => usedFiles(value, at, definitions.secrets, '/run/secrets/')),
      ),
    ]),
    labels: allLabels,
    aliases: aliasesOf(service, place, definitions.networks),
    ...(inside && { inside }),
    ...(isOnServer && { network: serverNetwork }),
    ...powersOf(service, place, { isOnServer, folder, files }),
    logging: loggingOf(service, place),
    stopGracePeriodMs: given('stop_grace_period', durationAt),
    wants: {
      dependsOn: withLinked(given('depends_on', dependenciesAt) ?? [], [...links, ...volumesFrom]),
      volumesFrom,
      links,
      isPublished,
      restart: restartOf(service, restartPolicy, place),
    },
  };
}

/** docker compose binds a file as it is, so what runs as another user could read it there. */
function withNarrowTold(notes: string[], files: PlannedFile[]): PlannedFile[] {
  for (const { source, where, mode, uid = '0' } of files)
    if (source.from === 'file' && mode !== undefined && (mode & 0o004) === 0)
      notes.push(
        `${where}: has the mode ${mode.toString(8).padStart(4, '0')} and the owner ${uid}, as it says; ` +
          'docker compose passes that over for a file. A program that runs as another user cannot read it.',
      );
  return files;
}

const byTarget = <T extends { target: string }>(items: readonly T[] = []): T[] =>
  lastOfEach(items, ({ target }) => target);

/** What its container may do, and how the kernel treats it. */
function powersOf(
  service: YamlMap,
  place: Place,
  { isOnServer, folder, files }: { isOnServer: boolean } & Pick<ReadOptions, 'folder' | 'files'>,
): Pick<PlannedService, 'container' | 'sysctls'> {
  const container = containerOptions(service, place, (path, at) =>
    files.get(inFolder(folder ?? '', path, at)),
  );
  const sysctls = { ...(isOnServer ? {} : forwardingOf(container)), ...sysctlsOf(service, place) };
  return { container, sysctls };
}

/** Its volumes; folders must lie in the repository that the file is of. */
function volumesAt(
  value: unknown,
  place: Place,
  { definitions, folder, notes }: Pick<ReadOptions, 'definitions' | 'folder' | 'notes'>,
): PlannedMount[] {
  const mounts = mountsAt(value, place, { volumes: definitions.volumes, notes });
  if (folder !== undefined)
    for (const mount of mounts) if (mount.type === 'own') inFolder(folder, mount.path, place);
  return mounts;
}

function healthOf(service: YamlMap, place: Place, notes: string[]): PlannedService['healthCheck'] {
  const value: unknown = service.get('healthcheck');
  if (value === undefined || value === null) return undefined;
  const at = below(place, 'healthcheck');
  const health = healthCheckAt(value, at, notes);
  if (health === undefined)
    notes.push(`${at.where} has no effect without a test: the image's own check keeps its times.`);
  if (health === 'disabled') notes.push(`${at.where} is turned off: ${withoutCheck}.`);
  return health;
}

/** The kind of network that it is on, with what a person should know of that and of its protection. */
function networkOf(
  name: string,
  service: YamlMap,
  {
    place,
    notes,
    definitions: { internalNetworks: internal },
    publishes,
  }: {
    place: Place;
    notes: string[];
    definitions: Pick<Definitions, 'internalNetworks'>;
    publishes: { isPublished: boolean; here: boolean };
  },
): { isOnServer: boolean; inside: PlannedService['inside'] } {
  const { inside, notes: insideNotes } = insideOf(service, internal, { place, isPublished: publishes.here });
  const isOnServer = isOnServerNetwork(service, place);
  notes.push(...insideNotes, ...securityNotes(service, place));
  if (isOnServer) {
    notes.push(...onServerNotes(name, { place, isPublished: publishes.isPublished }));
    refuseNetworkSettings(sysctlsOf(service, place), below(place, 'sysctls'));
  }
  return { isOnServer, inside };
}

/** What a service on the network of the server is without. */
function onServerNotes(
  name: string,
  { place, isPublished }: { place: Place; isPublished: boolean },
): string[] {
  return [
    `${place.where}.network_mode: host is the network of the server: what ${name} listens on is open ` +
      'there, no domain leads to it, and other services reach it at the address of the server ' +
      '(extra_hosts: ["server:host-gateway"]), not by its name.',
    ...(isPublished
      ? [`${place.where}.ports has no effect with network_mode host: ${name} listens on the server itself.`]
      : []),
  ];
}

/** The engine refuses them: they would be settings of the server. */
function refuseNetworkSettings(sysctls: Readonly<Record<string, string>>, place: Place): void {
  const name = Object.keys(sysctls).find((each) => each.startsWith('net.'));
  if (name !== undefined)
    throw fault(below(place, name), 'is a setting of the whole server, since network_mode is host');
}

/** What it runs: an image, or what is built. */
function sourceOf(
  service: YamlMap,
  place: Place,
  folder: string | undefined,
  notes: string[],
): Pick<PlannedService, 'image' | 'build'> {
  const [named, built]: unknown[] = [service.get('image'), service.get('build')];
  const at = below(place, 'image');
  const image = named === undefined || named === null ? undefined : parseImage(textAt(named, at), at);
  if (built === undefined || built === null) {
    if (image === undefined) throw fault(place, 'must have an image or a build');
    return { image, build: undefined };
  }
  if (image !== undefined) notes.push(`${at.where} has no effect: Berth builds and names the image.`);
  return { image: undefined, build: buildAt(built, below(place, 'build'), folder) };
}

function parseImage(text: string, { field, where }: Place): string {
  return parseImageReference(text, `${field}: ${where}`);
}

/** A `build` whose context lies in the repository. */
function buildAt(value: unknown, place: Place, folder: string | undefined): PlannedBuild {
  const map: YamlMap = value instanceof Map ? value : new Map([['context', value]]);
  if (folder === undefined)
    throw fault(
      place,
      'needs a repository: a file of the source raw has no folder to build. Use image, or put the file ' +
        'into a repository',
    );
  const context = map.has('context') ? textAt(map.get('context'), below(place, 'context')) : '.';
  if (/^[a-z+-]+:\/\/|^git@|^[a-z-]+:/i.test(context))
    throw fault(
      below(place, 'context'),
      'must be a folder of the repository; nothing is built from elsewhere',
    );
  const inline: unknown = map.get('dockerfile_inline');
  const args: unknown = map.get('args');
  return {
    context: parseSourcePath(
      inFolder(folder, context, below(place, 'context')),
      `${place.field}: ${place.where}.context`,
    ),
    dockerfile: map.has('dockerfile')
      ? textAt(map.get('dockerfile'), below(place, 'dockerfile'))
      : 'Dockerfile',
    inline: inline === undefined ? undefined : textAt(inline, below(place, 'dockerfile_inline')),
    target: map.has('target') ? textAt(map.get('target'), below(place, 'target')) : undefined,
    arguments: args === undefined || args === null ? [] : pairsAt(args, below(place, 'args')),
    noCache: map.has('no_cache') && booleanAt(map.get('no_cache'), below(place, 'no_cache')),
  };
}

function pullPolicy(service: YamlMap, place: Place): PlannedService['pull'] {
  const value: unknown = service.get('pull_policy');
  if (value === undefined || value === null) return 'missing';
  const word = wordAt(value, below(place, 'pull_policy'), [
    'always',
    'missing',
    'if_not_present',
    'never',
    'build',
    'daily',
    'weekly',
  ]);
  return word === 'never' ? 'never' : word === 'missing' || word === 'if_not_present' ? 'missing' : 'always';
}

function envFilesAt(value: unknown, place: Place): PlannedService['envFiles'] {
  return listAt(value, place).map((item, index) => {
    const at = below(place, index);
    if (!(item instanceof Map)) return { path: textAt(item, at), required: true };
    return {
      ...(item.has('format') && { format: wordAt(item.get('format'), below(at, 'format'), ['raw']) }),
      path: textAt(item.get('path'), below(at, 'path')),
      required: !item.has('required') || booleanAt(item.get('required'), below(at, 'required')),
    };
  });
}

function labelsOf(pairs: [string, string | null][], place: Place): Record<string, string> {
  for (const [name] of pairs)
    if (reservedLabelPattern.test(name)) throw fault(below(place, name.slice(0, 60)), 'is reserved');
  return Object.fromEntries(pairs.map(([name, value]) => [name, value ?? '']));
}
