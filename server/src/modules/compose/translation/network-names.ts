/** Names by which services of a file look each other up: aliases, links, names of containers. Pure. */
import { entriesOf, type YamlMap } from '../compose-file.ts';
import type { WantedDependency } from './dependencies.ts';
import { below, fault, mapAt, textAt, textsAt, type Place } from './values.ts';

export interface Link {
  service: string;
  /** The service's own name where the file gives no other. */
  alias: string;
}

/** Names of a service besides its own; `defined` are the networks of the file. */
export function aliasesOf(service: YamlMap, place: Place, defined: ReadonlySet<string>): string[] {
  const networks: unknown = service.get('networks');
  const containerName: unknown = service.get('container_name');
  return [
    ...(isGiven(networks) ? networkAliases(networks, below(place, 'networks'), defined) : []),
    // docker compose gives the container this name, and names of containers are host names there.
    ...(isGiven(containerName) ? [hostNameAt(containerName, below(place, 'container_name'))] : []),
  ];
}

/** Whether its networks are internal ones, from which nothing leads out: all of them, or some. */
export function insideOf(
  service: YamlMap,
  internal: ReadonlySet<string>,
  { place, isPublished }: { place: Place; isPublished: boolean },
): { inside: 'only' | 'also' | undefined; notes: string[] } {
  const isAlone = service.get('network_mode') === 'none';
  const inside = isAlone ? 'only' : insideNetworks(service, internal);
  const note =
    `${place.where} ${isAlone ? 'has network_mode none, and ' : ''}is on internal networks only: nothing ` +
    'leads out of them. Services of the file that are on an internal network reach it; others of the ' +
    'environment and the proxy do not.' +
    (isPublished ? ' Its ports are not published.' : '');
  return { inside, notes: inside === 'only' ? [note] : [] };
}

function insideNetworks(service: YamlMap, internal: ReadonlySet<string>): 'only' | 'also' | undefined {
  const networks: unknown = service.get('networks');
  const names =
    networks instanceof Map
      ? entriesOf(networks).map(([name]) => name)
      : Array.isArray(networks)
        ? networks.map(String)
        : ['default'];
  const inside = (names.length === 0 ? ['default'] : names).filter((name) => internal.has(name));
  if (inside.length === 0) return undefined;
  return inside.length === Math.max(1, names.length) ? 'only' : 'also';
}

/** `links` of a service: an order, and perhaps one more name for the other service. */
export function linksOf(service: YamlMap, place: Place): Link[] {
  const value: unknown = service.get('links');
  const at = below(place, 'links');
  if (!isGiven(value)) return [];
  return textsAt(value, at).map((text) => {
    const [name = '', alias = name] = text.split(':');
    return { service: name, alias: hostNameAt(alias, at) };
  });
}

/** The dependencies, and the other services that a service names elsewhere: they have to be started first. */
export function withLinked(
  dependencies: readonly WantedDependency[],
  links: readonly Pick<Link, 'service'>[],
): WantedDependency[] {
  const linked = new Set(links.map(({ service }) => service));
  for (const { service } of dependencies) linked.delete(service);
  return [
    ...dependencies,
    ...[...linked].map((service) => ({ service, condition: 'started' as const, required: true })),
  ];
}

function networkAliases(value: unknown, place: Place, defined: ReadonlySet<string>): string[] {
  const networks: [string, unknown][] =
    value instanceof Map ? entriesOf(value) : textsAt(value, place).map((name) => [name, null]);
  return networks.flatMap(([name, options]) => {
    const at = below(place, name);
    if (!defined.has(name)) throw fault(at, 'is a network that the file does not define under networks');
    const map = options === null ? new Map<unknown, unknown>() : mapAt(options, at);
    return map.has('aliases') ? textsAt(map.get('aliases'), below(at, 'aliases')) : [];
  });
}

function hostNameAt(value: unknown, place: Place): string {
  const text = textAt(value, place);
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,252}$/.test(text))
    throw fault(place, 'must have letters, digits, ".", "_" and "-" only, and begin with a letter or digit');
  return text;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
