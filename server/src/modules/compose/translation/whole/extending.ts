/** What comes before the keys of a service are read: `extends`, and profiles. Pure. */
import { posix } from 'node:path';
import { badField } from '../../../../domain/errors.ts';
import { isOverriding, resetValue, type YamlMap } from '../../compose-file.ts';
import { otherFile, type LinkedFiles, type Rooted } from './linked-files.ts';
import { rebased } from './rebasing.ts';
import { below, fault, textAt, textsAt, type Place } from '../values.ts';

type Services = ReadonlyMap<string, YamlMap>;

const deepest = 20;
/** Keys that name other services are not taken over (compose-spec, extends, Restrictions). */
const notTaken: ReadonlySet<unknown> = new Set(['depends_on', 'extends', 'profiles', 'container_name']);
/** One text or list in place of the other. */
const replaced: ReadonlySet<unknown> = new Set(['command', 'entrypoint', 'image']);

/**
 * The services with what they extend put in, from this file or another of the repository; keys that are reset
 * still say so. BAD_REQUEST for a circle, and for a file that is not there.
 */
export function unresolved(
  rooted: Rooted,
  { field, files }: { field: string; files: LinkedFiles },
): Map<string, YamlMap> {
  const whole = (name: string, { file, folder }: Rooted, depth: number): YamlMap => {
    const service = file.services.get(name);
    const place = { field, where: `services.${name}.extends` };
    if (!service)
      throw badField(field, `services.${name} is extended, but there is no such service in the file`);
    const base = service.get('extends');
    if (base === undefined || base === null) return service;
    if (depth > deepest) throw fault(place, 'is circular');
    const target: YamlMap = base instanceof Map ? base : new Map([['service', base]]);
    const path: unknown = target.get('file');
    const other =
      path === undefined || path === null
        ? { file, folder }
        : otherFile(textAt(path, below(place, 'file')), { field, folder, files, place });
    const extending = whole(textAt(target.get('service'), below(place, 'service')), other, depth + 1);
    return merged(rebased(extending, posix.relative(folder, other.folder)), service, notTaken);
  };
  return new Map([...rooted.file.services.keys()].map((name) => [name, whole(name, rooted, 0)]));
}

/** Without the keys that are reset: by now nothing is left that they could take away. */
export function withoutResets(map: YamlMap): YamlMap {
  return new Map(
    [...map]
      .filter(([, value]) => value !== resetValue)
      .map(([key, value]) => [key, value instanceof Map ? withoutResets(value) : value]),
  );
}

/** Keys whose short and long forms are one (compose-go, override): what a list or a text stands for. */
const longForms: Readonly<Record<string, (value: unknown) => unknown>> = {
  ...Object.fromEntries(
    ['dns', 'dns_opt', 'dns_search', 'env_file', 'tmpfs'].map((key) => [
      key,
      (value: unknown): unknown => (typeof value === 'string' || value instanceof Map ? [value] : value),
    ]),
  ),
  ...Object.fromEntries(
    ['networks', 'depends_on'].map((key) => [
      key,
      (value: unknown): unknown =>
        Array.isArray(value) && !isOverriding(value)
          ? new Map(value.map((name: unknown) => [name, null]))
          : value,
    ]),
  ),
  build: (value) => (typeof value === 'string' ? new Map([['context', value]]) : value),
};

/** The service over its base, whose keys of `left` are left out. */
export function merged(base: YamlMap, own: YamlMap, left: ReadonlySet<unknown>): YamlMap {
  const result = new Map([...base].filter(([key]) => !left.has(key)));
  for (const [key, value] of own)
    if (key !== 'extends' && (value !== null || !result.has(key)))
      result.set(key, result.has(key) ? mergedKey(String(key), result.get(key), value) : value);
  return result;
}

function mergedKey(key: string, base: unknown, own: unknown): unknown {
  if (replaced.has(key) || base === resetValue || own === resetValue) return own;
  const long = longForms[key] ?? ((value: unknown) => value);
  const [below, above] = [long(base), long(own)];
  if (below instanceof Map && above instanceof Map) {
    if (key === 'logging' && isOtherDriver(below, above)) return above;
    const whole = joined(below, above);
    // Its words are one command, and not a list of things.
    if (key === 'healthcheck' && whole instanceof Map && above.has('test'))
      return new Map([...whole, ['test', above.get('test')]]);
    if (key === 'networks' && whole instanceof Map)
      return new Map([...whole].map(([name, value]) => [name, value ?? below.get(name) ?? null]));
    return whole;
  }
  return joined(sameForm(below, above), above, placeOfItem.get(key));
}

const isOtherDriver = (base: YamlMap, own: YamlMap): boolean =>
  base.has('driver') && own.has('driver') && base.get('driver') !== own.get('driver');

/** The base in the form of the other: of variables one file may have a map, and the other a list. */
function sameForm(base: unknown, own: unknown): unknown {
  if (base instanceof Map && Array.isArray(own))
    return [...base].map(([key, value]) =>
      value === null ? String(key) : `${String(key)}=${String(value)}`,
    );
  if (Array.isArray(base) && own instanceof Map)
    return new Map(
      base.map((item) => {
        const text = String(item);
        const cut = text.indexOf('=');
        return cut === -1 ? [text, null] : [text.slice(0, cut), text.slice(cut + 1)];
      }),
    );
  return base;
}

/** Where an item of these lists stands in the container; a later one takes its place. */
const placeOfItem: ReadonlyMap<unknown, (item: unknown) => string> = new Map([
  ['volumes', (item: unknown): string => targetOf(item, (text) => text.split(':').slice(0, 2).at(-1))],
  ['configs', (item: unknown): string => targetOf(item, (text) => text)],
  ['secrets', (item: unknown): string => targetOf(item, (text) => text)],
]);

function targetOf(item: unknown, ofText: (text: string) => string | undefined): string {
  const target: unknown =
    item instanceof Map ? (item.get('target') ?? item.get('source')) : ofText(String(item));
  return String(target).replace(/(.)\/+$/, '$1');
}

/** Two items are one where nothing else decides. */
const sameText = (item: unknown): string =>
  JSON.stringify(item, (_key, value: unknown) => (value instanceof Map ? [...value] : value));

/**
 * Maps are joined key by key, lists follow each other without what is there already, and anything else is
 * replaced (compose-spec, Merge).
 */
export function joined(base: unknown, own: unknown, placeOf = sameText): unknown {
  if (own === resetValue || base === resetValue || isOverriding(own)) return own;
  if (base instanceof Map && own instanceof Map) {
    const result = new Map<unknown, unknown>(base);
    for (const [key, value] of own) result.set(key, joined(result.get(key), value));
    return result;
  }
  if (Array.isArray(base) && Array.isArray(own))
    return [...new Map([...base, ...own].map((item: unknown) => [placeOf(item), item])).values()];
  return own;
}

/**
 * Services without a profile, and those of a profile that COMPOSE_PROFILES names; the others are told by
 * their names.
 */
export function ofProfiles(
  services: Services,
  active: readonly string[],
  field: string,
): { chosen: Map<string, YamlMap>; left: string[]; profiles: string[] } {
  const chosen = new Map<string, YamlMap>();
  const left: string[] = [];
  const notChosen = new Set<string>();
  for (const [name, service] of services) {
    const place: Place = { field, where: `services.${name}.profiles` };
    const profiles = service.has('profiles') ? textsAt(service.get('profiles'), place) : [];
    const isChosen =
      profiles.length === 0 || active.includes('*') || profiles.some((profile) => active.includes(profile));
    if (isChosen) chosen.set(name, service);
    else left.push(name);
    if (!isChosen) for (const profile of profiles) notChosen.add(profile);
  }
  return { chosen, left, profiles: [...notChosen] };
}
