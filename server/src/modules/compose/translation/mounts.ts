/** Volumes, binds and tmpfs of a service (compose-spec, volumes). Pure. */
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { didYouMean } from '../../../domain/text/closest.ts';
import type { YamlMap } from '../compose-file.ts';
import type { PlannedMount } from './plan.ts';
import {
  below,
  booleanAt,
  bytesAt,
  fault,
  listAt,
  mapAt,
  textAt,
  textsAt,
  wholeAt,
  type Place,
} from './values.ts';

/** Volumes of the file's top level. */
export interface VolumeDefinitions {
  /** Engine's name of a volume that is not this compose's own. */
  foreign(name: string): string | undefined;
  /** Somebody else makes it. */
  isExternal(name: string): boolean;
  has(name: string): boolean;
  /** What its `driver_opts` make of it; undefined for a volume like any other. */
  bound(name: string): BoundVolume | undefined;
}

export type BoundVolume =
  | { type: 'bind'; path: string; readOnly: boolean }
  /** The engine makes it with these options of the driver `local`. */
  | { type: 'volume'; driverOptions: Record<string, string> };

/** The kernel's own trees, which the engine refuses, and the folder of Berth's health probe. */
const reservedInside = /^\/(proc|sys|\.berth)(\/|$)/;

/** `notes` gets what has no effect. */
export function mountsAt(
  value: unknown,
  place: Place,
  { volumes, notes }: { volumes: VolumeDefinitions; notes: string[] },
): PlannedMount[] {
  const told = new Set<string>();
  const mounts = listAt(value, place).map((item, index) => {
    const at = below(place, index);
    if (item instanceof Map) return longForm(item, at, volumes);
    const text = textAt(item, at);
    for (const without of checkMountOptions(text, at)) told.add(`${place.where}: ${without}`);
    return shortForm(text, at, volumes);
  });
  for (const mount of mounts)
    if (mount.type === 'own' && mount.path.startsWith(homeFolder)) told.add(homeNote(mount, place));
  notes.push(...told);
  return mounts;
}

/** Options of the short form; those without a word have an effect (compose-spec, volumes, Short syntax). */
const mountOptions: Readonly<Record<string, string>> = {
  ro: '',
  rw: '',
  rprivate: '',
  private: '',
  z: 'this system has no SELinux labels',
  Z: 'this system has no SELinux labels',
  nocopy: 'a new volume gets what the image has at its path',
  cached: 'it is a setting of Docker Desktop',
  delegated: 'it is a setting of Docker Desktop',
  consistent: 'it is a setting of Docker Desktop',
};

function checkMountOptions(text: string, place: Place): string[] {
  const [, , options = ''] = text.split(':');
  return options
    .split(',')
    .filter(Boolean)
    .flatMap((option) => {
      if (/^r?(shared|slave)$/.test(option))
        throw fault(place, `asks for ${option}, which is not possible; a bind is private to its container`);
      const why = Object.hasOwn(mountOptions, option) ? mountOptions[option] : undefined;
      if (why === undefined)
        throw fault(
          place,
          `has the unknown option ${option.slice(0, 40)}.${didYouMean(option, Object.keys(mountOptions))}`,
        );
      return why === '' ? [] : [`the option ${option} has no effect: ${why}.`];
    });
}

/** `tmpfs: /run` and `/run:size=64m,mode=1770`. */
export function tmpfsAt(value: unknown, place: Place, notes: string[]): PlannedMount[] {
  return textsAt(value, place).map((text) => {
    const [path = '', options = ''] = text.split(':');
    const given = new Map(
      options
        .split(',')
        .filter(Boolean)
        .map((option) => [option.split('=')[0] ?? '', option.slice(option.indexOf('=') + 1)]),
    );
    const left = [...given.keys()].filter((option) => !tmpfsOptions.has(option));
    if (left.length > 0)
      notes.push(`${place.where}: ${left.join(', ')} has no effect: the engine gives a tmpfs its options.`);
    const size = given.get('size');
    const mode = given.get('mode');
    return {
      type: 'tmpfs',
      target: targetOf(path, place),
      readOnly: given.has('ro'),
      sizeBytes: size === undefined ? undefined : bytesAt(size, place),
      mode: mode === undefined ? undefined : modeOf(mode, place),
    };
  });
}

const tmpfsOptions: ReadonlySet<string> = new Set(['size', 'mode', 'ro', 'rw']);

/** Rights as octal digits, or the number that YAML made of them. */
export function modeOf(value: unknown, place: Place): number {
  if (typeof value === 'number') return wholeAt(value, place, { most: 0o7777 });
  const text = textAt(value, place).replace(/^0o?/, '');
  if (!/^[0-7]{1,4}$/.test(text)) throw fault(place, 'must be a file mode such as 0440');
  return Number.parseInt(text, 8);
}

/** Whether something may be mounted at this path. */
export const isMountable = (path: string): boolean =>
  path.startsWith('/') && path !== '/' && !/\p{Cc}/u.test(path) && !reservedInside.test(path);

export function targetOf(path: string, place: Place): string {
  const clean = posix.normalize(path).replace(/(.)\/$/, '$1');
  if (!clean.startsWith('/') || clean === '/' || /\p{Cc}/u.test(clean))
    throw fault(
      place,
      `must lead to an absolute path in the container, not to ${JSON.stringify(path.slice(0, 60))}`,
    );
  if (reservedInside.test(clean)) throw fault(place, `cannot lead to ${clean}, which belongs to the system`);
  return clean;
}

function shortForm(text: string, place: Place, volumes: VolumeDefinitions): PlannedMount {
  const parts = text.split(':');
  if (parts.length > 3) throw fault(place, 'must be like data:/var/lib/data or ./folder:/etc/app:ro');
  const [source = '', target, options = ''] = parts;
  // An anonymous volume is kept under its path, so that the next deployment finds it again.
  if (target === undefined)
    return {
      type: 'volume',
      name: volumeOfPath(source),
      isForeign: false,
      isUnnamed: true,
      target: targetOf(source, place),
      readOnly: false,
    };
  const readOnly = options.split(',').includes('ro');
  return { target: targetOf(target, place), readOnly, ...sourceOf(source, place, volumes) };
}

function longForm(map: YamlMap, place: Place, volumes: VolumeDefinitions): PlannedMount {
  const type = textAt(map.get('type') ?? 'volume', below(place, 'type'));
  const common = {
    target: targetOf(textAt(map.get('target'), below(place, 'target')), place),
    readOnly: map.has('read_only') ? booleanAt(map.get('read_only'), below(place, 'read_only')) : false,
  };
  const source = map.has('source') ? textAt(map.get('source'), below(place, 'source')) : undefined;
  if (type === 'tmpfs') {
    const options = map.has('tmpfs')
      ? mapAt(map.get('tmpfs'), below(place, 'tmpfs'))
      : new Map<unknown, unknown>();
    const [size, mode] = [options.get('size'), options.get('mode')];
    return {
      ...common,
      type,
      sizeBytes: size === undefined ? undefined : bytesAt(size, place),
      mode: mode === undefined ? undefined : modeOf(mode, place),
    };
  }
  if (type === 'volume' && source === undefined)
    return { ...common, type, name: volumeOfPath(common.target), isForeign: false, isUnnamed: true };
  if (source === undefined || (type !== 'volume' && type !== 'bind'))
    throw fault(
      place,
      `is of the type ${type.slice(0, 40)}; supported are volume, bind and tmpfs, the first two with a ` +
        'source',
    );
  refuseOptions(map, place);
  const isPath = /^[./~]/.test(source);
  return { ...common, ...sourceOf(type === 'bind' && !isPath ? `./${source}` : source, place, volumes) };
}

function refuseOptions(map: YamlMap, place: Place): void {
  const bind = map.get('bind');
  const propagation: unknown = bind instanceof Map ? bind.get('propagation') : undefined;
  if (propagation !== undefined && propagation !== 'rprivate')
    throw fault(below(place, 'bind.propagation'), 'is not possible here; a bind is private to its container');
  const volume = map.get('volume');
  if (volume instanceof Map && volume.get('subpath') !== undefined)
    throw fault(below(place, 'volume.subpath'), 'is not possible with this engine; use a volume of its own');
}

type Source =
  | {
      type: 'volume';
      name: string;
      isForeign: boolean;
      mayBeMissing?: true;
      driverOptions?: Record<string, string>;
    }
  | { type: 'bind'; path: string; readOnly?: true }
  | { type: 'own'; path: string };

function sourceOf(source: string, place: Place, volumes: VolumeDefinitions): Source {
  if (/^~(?:\/|$)/.test(source)) return { type: 'own', path: homeFolder + source.slice(2) };
  if (source.startsWith('~'))
    throw fault(place, 'begins with the home folder of somebody; write the whole path');
  if (source.startsWith('/')) return { type: 'bind', path: cleanPath(source) };
  if (source.startsWith('.')) return { type: 'own', path: source };
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,99}$/.test(source))
    throw fault(
      place,
      `names the volume ${JSON.stringify(source.slice(0, 60))}; a name has letters, digits, ".", "_" and "-"`,
    );
  if (!volumes.has(source))
    throw fault(place, `names the volume ${source}, which the file does not define under volumes`);
  const bound = volumes.bound(source);
  if (bound?.type === 'bind')
    return { type: 'bind', path: cleanPath(bound.path), ...(bound.readOnly && { readOnly: true }) };
  const foreign = volumes.foreign(source);
  return {
    type: 'volume',
    name: foreign ?? source,
    isForeign: foreign !== undefined,
    ...(foreign !== undefined && !volumes.isExternal(source) && { mayBeMissing: true as const }),
    ...(bound && { driverOptions: bound.driverOptions }),
  };
}

/** Where `~/…` is kept: a server has nobody's home, so it is the compose service's own. */
const homeFolder = './~/';

const homeNote = ({ path, target }: PlannedMount & { type: 'own' }, { where }: Place): string =>
  `${where}: ~/${path.slice(homeFolder.length)} at ${target} is a volume of this compose service, empty at ` +
  'first, since here is nobody whose home folder it could be. For a folder of the server write its whole ' +
  'path.';

const cleanPath = (path: string): string => posix.normalize(path).replace(/(.)\/$/, '$1');

/** A name for what has only a path: readable, and of this path alone. */
export function volumeOfPath(path: string): string {
  const clean = posix.normalize(path).replace(/(.)\/$/, '$1');
  return `path-${
    clean
      .replace(/[^a-zA-Z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 60) || 'root'
  }-${createHash('sha256').update(clean).digest('hex').slice(0, 8)}`;
}
