/**
 * Published ports of a service: `[address:][published:]target[/protocol]`, ranges, and the long form
 * (compose-spec, ports). Pure.
 */
import { badField } from '../../../domain/errors.ts';
import type { YamlMap } from '../compose-file.ts';
import type { PlannedPort, PlannedService } from './plan.ts';
import { below, fault, lastOfEach, listAt, mapAt, textAt, wholeAt, wordAt, type Place } from './values.ts';

const everywhere: ReadonlySet<string> = new Set(['', '0.0.0.0', '::', '[::]']);
const loopback = /^(?:127(?:\.[0-9]{1,3}){3}|\[?::1\]?|localhost)$/;
const port = { least: 1, most: 65_535 };
const mostPorts = 200;

export interface PublishedPorts {
  ports: PlannedPort[];
  /** The file publishes a port, if only on the loopback address, or on one that the engine chooses. */
  isPublished: boolean;
  /** What is not published, and how it is reached instead. */
  notes: string[];
}

/** `ports` of the service with this name. */
export function publishedPorts(service: YamlMap, name: string, place: Place): PublishedPorts {
  const value: unknown = service.get('ports');
  const at = below(place, 'ports');
  const { ports: all, unpublished, loopback: onLoopback } = portsAt(value ?? [], at);
  const ports = lastOfEach(all, ({ published, target, protocol }) => `${published}:${target}/${protocol}`);
  return {
    ports,
    isPublished: ports.length + onLoopback.length + unpublished.length > 0,
    notes: [
      ...unpublished.map(
        (target) =>
          `${at.where}: ${target} names no port of the server and is not published there; the other ` +
          'services reach it.',
      ),
      ...onLoopback.map(
        ({ published, target }) =>
          `${at.where}: ${published ?? 'a port'} on the loopback address is not published. To reach ` +
          `${name} from outside, give it a domain with port ${target}; the other services reach it anyway.`,
      ),
    ],
  };
}

interface ReadPorts {
  ports: PlannedPort[];
  /** Targets that the file names without a port of the server. */
  unpublished: number[];
  /** Targets published for the server itself only, where a proxy of its own would reach them. */
  loopback: { published: number | undefined; target: number }[];
}

function portsAt(value: unknown, place: Place): ReadPorts {
  const ports: PlannedPort[] = [];
  const unpublished: number[] = [];
  const onLoopback: ReadPorts['loopback'] = [];
  for (const [index, item] of listAt(value, place).entries()) {
    const at = below(place, index);
    for (const { published, isLoopback, ...rest } of item instanceof Map
      ? longForm(item, at)
      : shortForm(textAt(item, at), at)) {
      if (isLoopback) onLoopback.push({ published, target: rest.target });
      else if (published === undefined) unpublished.push(rest.target);
      else ports.push({ ...rest, published });
    }
    if (ports.length > mostPorts) throw fault(place, `publishes more than ${mostPorts} ports`);
  }
  refuseSecondHostPort(ports, place);
  return { ports, unpublished, loopback: onLoopback };
}

/** Of two published ports on one target the engine keeps the last when both are in host mode. */
function refuseSecondHostPort(ports: readonly PlannedPort[], place: Place): void {
  const first = new Map<string, number>();
  for (const { target, protocol, published, mode } of ports) {
    if (mode !== 'host') continue;
    const key = `${target}/${protocol}`;
    const other = first.get(key);
    if (other !== undefined && other !== published)
      throw fault(
        place,
        `publishes ${key} twice in host mode, as ${other} and ${published}; the engine would keep only one ` +
          'of them. Leave one out, or use the mode ingress',
      );
    first.set(key, published);
  }
}

interface MaybePublished extends Omit<PlannedPort, 'published'> {
  published: number | undefined;
  isLoopback: boolean;
}

/** Address, published port or range, target port or range, protocol. */
const shortPort = new RegExp(
  [
    /^(?:(\[[0-9a-fA-F:.]*\]|[0-9]+(?:\.[0-9]+){3}|localhost|):)?/,
    /(?:([0-9]*(?:-[0-9]+)?):)?/,
    /([0-9]+(?:-[0-9]+)?)/,
    /(?:\/([a-z]+))?$/,
  ]
    .map(({ source }) => source)
    .join(''),
);

function shortForm(text: string, place: Place): MaybePublished[] {
  const [, address = '', published = '', target = '', protocol = 'tcp'] = shortPort.exec(text) ?? [];
  if (target === '') throw fault(place, 'must be like 8080:80 or 8080:80/udp');
  const isLoopback = isLoopbackAddress(address, place);
  return paired(
    range(published, place),
    range(target, place),
    { protocol: wordAt(protocol, place, ['tcp', 'udp']), mode: 'ingress', isLoopback },
    place,
  );
}

function longForm(map: ReadonlyMap<unknown, unknown>, place: Place): MaybePublished[] {
  const {
    target,
    published,
    protocol = 'tcp',
    mode = 'ingress',
    host_ip: address = '',
  } = Object.fromEntries(mapAt(map, place));
  const rest = {
    isLoopback: isLoopbackAddress(textAt(address, place), place),
    protocol: wordAt(protocol, below(place, 'protocol'), ['tcp', 'udp']),
    mode: wordAt(mode, below(place, 'mode'), ['ingress', 'host']),
  };
  return paired(
    published === undefined || published === null ? [] : range(textAt(published, place), place),
    [wholeAt(target, below(place, 'target'), port)],
    rest,
    place,
  );
}

/** A swarm publishes on every address of a server (moby, api/types/swarm PortConfig has none). */
function isLoopbackAddress(address: string, place: Place): boolean {
  if (loopback.test(address)) return true;
  if (!everywhere.has(address))
    throw fault(
      place,
      `publishes on the address ${address} only, which a swarm cannot do; leave the address out, or give ` +
        'the service a domain',
    );
  return false;
}

function range(text: string, place: Place): number[] {
  if (text === '') return [];
  const [first = '', last = first] = text.split('-');
  const [from, to] = [wholeAt(first, place, port), wholeAt(last, place, port)];
  if (to < from || to - from >= mostPorts)
    throw fault(place, `must be a range of at most ${mostPorts} ports`);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function paired(
  published: number[],
  targets: number[],
  rest: Pick<MaybePublished, 'protocol' | 'mode' | 'isLoopback'>,
  place: Place,
): MaybePublished[] {
  if (published.length > 0 && published.length !== targets.length)
    throw fault(place, 'must have as many ports of the server as of the container');
  return targets.map((target, index) => ({ ...rest, target, published: published[index] }));
}

/** Whether the proxy or Berth itself listens there, so that a file does not publish it. */
export const isWebPort =
  (webPorts: readonly number[]) =>
  ({ published }: Pick<PlannedPort, 'published'>): boolean =>
    webPorts.includes(published);

/** The service as it is published: without ports where the proxy or Berth itself listens. */
export const withoutWebPorts =
  (webPorts: readonly number[]) =>
  (service: PlannedService): PlannedService => ({
    ...service,
    ports: service.ports.filter((port) => !isWebPort(webPorts)(port)),
  });

/** A file from elsewhere often publishes on 80 or 3000. */
export const unpublishedNote = (service: string, { published, target, protocol }: PlannedPort): string => {
  const port = protocol === 'tcp' ? String(published) : `${published}/${protocol}`;
  return (
    `services.${service}.ports: ${port} is not published, because the proxy or Berth itself listens there.` +
    (protocol === 'tcp' ? ` Give ${service} a domain with port ${target} to reach it from outside.` : '')
  );
};

/** BAD_REQUEST naming both services when a port of the server is published twice. */
export function requirePortsOnce(field: string, services: readonly PlannedService[]): void {
  const taken = new Map<string, string>();
  for (const { name, ports } of services)
    for (const { published, protocol } of ports) {
      const other = taken.get(`${published}/${protocol}`);
      if (other !== undefined)
        throw badField(
          field,
          `services.${name}.ports: the port ${published}/${protocol} is published by ${other} too`,
        );
      taken.set(`${published}/${protocol}`, name);
    }
}
