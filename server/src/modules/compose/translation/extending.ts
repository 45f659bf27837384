/** What comes before the keys of a service are read: `extends` within the file, and profiles. Pure. */
import { badField } from '../../../domain/errors.ts';
import type { YamlMap } from '../compose-file.ts';
import { below, fault, textAt, textsAt, type Place } from './values.ts';

type Services = ReadonlyMap<string, YamlMap>;

const deepest = 20;
/** Keys that name other services are not taken over (compose-spec, extends, Restrictions). */
const notTaken: ReadonlySet<unknown> = new Set(['depends_on', 'extends', 'profiles', 'container_name']);
/** One text or list in place of the other. */
const replaced: ReadonlySet<unknown> = new Set(['command', 'entrypoint', 'image']);

/** The services with what they extend put in. */
export function extended(services: Services, field: string): Map<string, YamlMap> {
  const whole = (name: string, depth: number): YamlMap => {
    const service = services.get(name);
    const place = { field, where: `services.${name}.extends` };
    if (!service)
      throw badField(field, `services.${name} is extended, but there is no such service in the file`);
    const base = service.get('extends');
    if (base === undefined || base === null) return service;
    if (depth > deepest) throw fault(place, 'is circular');
    const target = base instanceof Map ? base : new Map([['service', base]]);
    if (target.get('file') !== undefined)
      throw fault(place, 'extends a service of another file; put that service into this file');
    return merged(whole(textAt(target.get('service'), below(place, 'service')), depth + 1), service);
  };
  return new Map([...services.keys()].map((name) => [name, whole(name, 0)]));
}

function merged(base: YamlMap, own: YamlMap): YamlMap {
  const taken = [...base].filter(([key]) => !notTaken.has(key));
  const result = new Map(taken);
  for (const [key, value] of own)
    if (key !== 'extends') result.set(key, replaced.has(key) ? value : joined(result.get(key), value));
  return result;
}

/** Maps are joined key by key, lists follow each other, anything else is replaced (compose-spec, Merge). */
function joined(base: unknown, own: unknown): unknown {
  if (base instanceof Map && own instanceof Map) {
    const result = new Map<unknown, unknown>(base);
    for (const [key, value] of own) result.set(key, joined(result.get(key), value));
    return result;
  }
  if (Array.isArray(base) && Array.isArray(own)) return [...base, ...own];
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
): { chosen: Map<string, YamlMap>; left: string[] } {
  const chosen = new Map<string, YamlMap>();
  const left: string[] = [];
  for (const [name, service] of services) {
    const place: Place = { field, where: `services.${name}.profiles` };
    const profiles = service.has('profiles') ? textsAt(service.get('profiles'), place) : [];
    const isChosen =
      profiles.length === 0 || active.includes('*') || profiles.some((profile) => active.includes(profile));
    if (isChosen) chosen.set(name, service);
    else left.push(name);
  }
  return { chosen, left };
}
