/** What a compose file defines besides services: volumes, networks, configs and secrets. Pure. */
import { entriesOf, type ComposeFile, type YamlMap } from '../compose-file.ts';
import { didYouMean } from '../../../domain/text/closest.ts';
import { checkDefinitions, topKeys } from './keys.ts';
import { modeOf, targetOf, type BoundVolume, type VolumeDefinitions } from './mounts.ts';
import type { PlannedFile } from './plan.ts';
import { below, booleanAt, fault, listAt, mapAt, textAt, wholeAt, type Place } from './values.ts';

export interface Definitions {
  volumes: VolumeDefinitions;
  networks: ReadonlySet<string>;
  /** Those from which nothing leads out. */
  internalNetworks: ReadonlySet<string>;
  /** Largest packet of the smallest of the networks, in bytes, where the file says one. */
  networkMtu: number | undefined;
  configs: ReadonlyMap<string, PlannedFile['source']>;
  secrets: ReadonlyMap<string, PlannedFile['source']>;
  notes: string[];
}

export function definitionsOf({ top }: ComposeFile, field: string): Definitions {
  for (const [key] of entriesOf(top)) {
    if (!key.startsWith('x-') && !topKeys.some((known) => known === key))
      throw fault(
        { field, where: key },
        `is not a part of a compose file that Berth supports.${didYouMean(key, topKeys)}`,
      );
  }
  const notes = checkDefinitions(top, field);
  return {
    volumes: volumesOf(top.get('volumes'), { field, where: 'volumes' }),
    networks: networksOf(top.get('networks'), { field, where: 'networks' }, notes),
    internalNetworks: internalOf(top.get('networks'), { field, where: 'networks' }),
    networkMtu: networkMtuOf(top.get('networks'), { field, where: 'networks' }, notes),
    configs: filesOf(top.get('configs'), { field, where: 'configs' }),
    secrets: filesOf(top.get('secrets'), { field, where: 'secrets' }),
    notes,
  };
}

function volumesOf(value: unknown, place: Place): VolumeDefinitions {
  const names = new Map<string, string | undefined>();
  const bound = new Map<string, BoundVolume>();
  const external = new Set<string>();
  for (const [name, definition] of entriesOf(value)) {
    const at = below(place, name);
    const map: YamlMap = definition instanceof Map ? definition : new Map<unknown, unknown>();
    const driver: unknown = map.get('driver') ?? 'local';
    if (driver !== 'local') throw fault(below(at, 'driver'), "is not possible; volumes are the engine's own");
    const options = entriesOf(map.get('driver_opts')).filter(
      ([, option]) => option !== null && option !== '',
    );
    const made = madeBy(options, below(at, 'driver_opts'));
    if (made) bound.set(name, made);
    names.set(name, foreignName(name, map, at));
    if (isExternal(map, at)) external.add(name);
  }
  return {
    has: (name) => names.has(name),
    foreign: (name) => names.get(name),
    isExternal: (name) => external.has(name),
    bound: (name) => bound.get(name),
  };
}

/** Options of the driver `local` (docs.docker.com, "docker volume create"). */
const driverOptions = ['type', 'o', 'device'];

/** What the options of the driver `local` make of a volume; a bound folder is a bind like any other. */
function madeBy(options: readonly [string, unknown][], place: Place): BoundVolume | undefined {
  if (options.length === 0) return undefined;
  for (const [name] of options)
    if (!driverOptions.includes(name))
      throw fault(
        below(place, name),
        `is not an option of the driver local.${didYouMean(name, driverOptions)}`,
      );
  const texts: Record<string, string> = Object.fromEntries(
    options.map(([name, option]) => [name, textAt(option, below(place, name))]),
  );
  const { type = 'none', device, o = '' } = texts;
  const flags = o.split(',');
  const isBind = (type === 'none' || type === 'bind') && flags.includes('bind');
  if (isBind && device?.startsWith('/') === true)
    return { type: 'bind', path: device, readOnly: flags.includes('ro') };
  if (isBind || type === 'none' || type === 'bind')
    throw fault(
      place,
      'binds no absolute path of the server: device must be like /srv/files, with o: bind. A folder beside ' +
        'the file is mounted as ./folder:/data',
    );
  return { type: 'volume', driverOptions: texts };
}

/** A name of one's own, or of a volume that somebody else made. */
function foreignName(name: string, map: YamlMap, at: Place): string | undefined {
  const external: unknown = map.get('external');
  const given: unknown = map.get('name') ?? (external instanceof Map ? external.get('name') : undefined);
  if (given === undefined || given === null) return isExternal(map, at) ? name : undefined;
  const text = textAt(given, below(at, 'name'));
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,199}$/.test(text))
    throw fault(below(at, 'name'), 'is no name of a volume');
  return text;
}

/** Whether it is made elsewhere. */
function isExternal(map: YamlMap, at: Place): boolean {
  const external: unknown = map.get('external');
  if (external === undefined || external === null) return false;
  return external instanceof Map || booleanAt(external, below(at, 'external'));
}

function networksOf(value: unknown, place: Place, notes: string[]): ReadonlySet<string> {
  const names = new Set(['default']);
  for (const [name, definition] of entriesOf(value)) {
    const at = below(place, name);
    const map: YamlMap = definition instanceof Map ? definition : new Map<unknown, unknown>();
    if (isExternal(map, at)) {
      notes.push(
        `${at.where} is made elsewhere; its services join the network of their environment instead, where ` +
          'the proxy and the other services of the environment reach them.',
      );
      names.add(name);
      continue;
    }
    if (map.has('name')) notes.push(`${at.where}.name has no effect: Berth names the network.`);
    const driver: unknown = map.get('driver') ?? 'overlay';
    if (driver !== 'overlay' && driver !== 'bridge')
      throw fault(below(at, 'driver'), 'must be overlay or bridge');
    names.add(name);
  }
  if (names.size > 2)
    notes.push(
      'networks: all services of the file share one network of this compose service; the separate networks ' +
        'in the file are not created.',
    );
  return names;
}

function internalOf(value: unknown, place: Place): ReadonlySet<string> {
  return new Set(
    entriesOf(value).flatMap(([name, definition]) => {
      const internal: unknown = definition instanceof Map ? definition.get('internal') : undefined;
      if (internal === undefined || internal === null) return [];
      return booleanAt(internal, below(below(place, name), 'internal')) ? [name] : [];
    }),
  );
}

/** Option of the engine's network drivers `bridge` and `overlay` (docs.docker.com, network drivers). */
const mtuOption = 'com.docker.network.driver.mtu';

/** The least that IPv4 allows, and what swarm's tunnel takes of each packet (VXLAN over IPv4). */
const [leastMtu, tunnelBytes] = [576, 50];

function networkMtuOf(value: unknown, place: Place, notes: string[]): number | undefined {
  const found: number[] = [];
  for (const [name, definition] of entriesOf(value)) {
    const at = below(below(place, name), 'driver_opts');
    const options: unknown = definition instanceof Map ? definition.get('driver_opts') : undefined;
    if (options === undefined || options === null) continue;
    for (const [option, given] of entriesOf(mapAt(options, at))) {
      if (option === mtuOption)
        found.push(wholeAt(given, below(at, option), { least: leastMtu, most: 65_535 }));
      else notes.push(`${at.where}.${option} has no effect: Berth makes the network.`);
    }
  }
  if (found.length === 0) return undefined;
  const mtu = Math.min(...found);
  notes.push(
    `networks: packets on the network of this compose service have at most ${mtu} bytes, of which the ` +
      `tunnel between servers takes ${tunnelBytes}. A network that was made earlier stays as it is.`,
  );
  return mtu;
}

function filesOf(value: unknown, place: Place): ReadonlyMap<string, PlannedFile['source']> {
  return new Map(
    entriesOf(value).map(([name, definition]): [string, PlannedFile['source']] => {
      const at = below(place, name);
      const map: YamlMap = definition instanceof Map ? definition : new Map<unknown, unknown>();
      const [content, file, variable] = [map.get('content'), map.get('file'), map.get('environment')];
      if (content !== undefined)
        return [name, { from: 'content', content: textAt(content, below(at, 'content')) }];
      if (file !== undefined) return [name, { from: 'file', path: textAt(file, below(at, 'file')) }];
      if (variable !== undefined)
        return [name, { from: 'variable', name: textAt(variable, below(at, 'environment')) }];
      throw fault(
        at,
        'must have content, file or environment; what somebody else made in the engine (external) is ' +
          'out of reach',
      );
    }),
  );
}

/** The files of a service, by its `configs` or `secrets`. */
export function usedFiles(
  value: unknown,
  place: Place,
  defined: ReadonlyMap<string, PlannedFile['source']>,
  defaultFolder: '/' | '/run/secrets/',
): PlannedFile[] {
  return listAt(value, place).map((item, index) => {
    const at = below(place, index);
    const map: YamlMap = item instanceof Map ? item : new Map([['source', item]]);
    const name = textAt(map.get('source'), below(at, 'source'));
    const source = defined.get(name);
    if (!source) throw fault(at, `names ${name.slice(0, 60)}, which the file does not define`);
    const target = map.has('target') ? textAt(map.get('target'), below(at, 'target')) : name;
    const [uid, gid, mode] = [map.get('uid'), map.get('gid'), map.get('mode')];
    return {
      source,
      where: at.where,
      isSecret: defaultFolder !== '/',
      target: targetOf(target.startsWith('/') ? target : `${defaultFolder}${target}`, at),
      uid: uid === undefined ? undefined : textAt(uid, at),
      gid: gid === undefined ? undefined : textAt(gid, at),
      mode: mode === undefined ? undefined : modeOf(mode, below(at, 'mode')),
    };
  });
}
