/** Where a file lives differently with docker compose and with Berth. */
import { isDeepStrictEqual } from 'node:util';
import { differencesOf, mentions } from '../judge/compare.ts';
import type { Meaning } from '../judge/meaning.ts';
import type { Living } from './living.ts';
import type { Lived } from './observe.ts';

export interface LivedOn extends Lived {
  ports: readonly number[];
  back: readonly string[];
  notes: readonly string[];
}

/** What differs, without a word and with one. */
export function unlike(
  { services, order, ports }: Living,
  meant: LivedOn,
  made: LivedOn,
): { silent: string[]; told: string[] } {
  const silent: string[] = [];
  const told: string[] = [];
  const add = (service: string, key: string, text: string): void =>
    void (made.notes.some((note) => mentions(note, service, key)) ? told : silent).push(text);
  for (const name of services) {
    const [one, other] = [comparable(meant.services[name]), comparable(made.services[name])];
    // A check of Berth's own where the file has none.
    if (one['healthcheck'] === undefined) delete other['healthcheck'];
    // Those of `deploy` are the container's, too.
    if (isDeepStrictEqual(other['labels'], { ...Object(other['labels']), ...Object(one['labels']) }))
      other['labels'] = one['labels'];
    // What ended is gone with its deployment, perhaps before it was looked at; another end fails that.
    if (one['end'] === 'Exited (0)' && other['scale'] === undefined) other['end'] ??= one['end'];
    for (const { key, text } of differencesOf(one, other)) add(name, key, `${name}.${key}: ${text}`);
    const [found, foundHere] = [meant, made].map((lived) => neighboursOf(lived.services[name]));
    for (const neighbour of new Set([...(found ?? []), ...(foundHere ?? [])])) {
      const isThere = foundHere?.has(neighbour) === true;
      if (found?.has(neighbour) === isThere) continue;
      if (!isThere) add(name, 'aliases', `${name} finds ${neighbour} with docker compose alone`);
      // Other names of a service that it finds anyhow are known on the whole network here.
      else if (services.includes(neighbour) && neighbour !== name)
        add(name, 'networks', `${name} finds ${neighbour} with Berth alone`);
    }
    if (meant.back.includes(name) && !made.back.includes(name))
      add(name, 'restart', `${name} comes back after a failure with docker compose alone`);
  }
  for (const [first, then] of order)
    if (isBefore(meant, first, then) && !isBefore(made, first, then))
      add(then, 'depends_on', `${first} began before ${then} with docker compose alone`);
  for (const port of ports)
    if (meant.ports.includes(port) !== made.ports.includes(port)) {
      const isTold = made.notes.some((note) => note.includes(String(port)));
      (isTold ? told : silent).push(
        `port ${port} answers with ${made.ports.includes(port) ? 'Berth' : 'docker compose'} alone`,
      );
    }
  return { silent, told };
}

const isBefore = ({ began }: Lived, one: string, other: string): boolean =>
  (began[one] ?? 0) < (began[other] ?? Infinity);

const neighboursOf = (meaning: Meaning | undefined): ReadonlySet<string> =>
  new Set(
    Object.entries(Object(meaning?.['neighbours'])).flatMap(([name, found]) =>
      found === true ? [name] : [],
    ),
  );

/** Without what is Berth's to choose, and what is compared by itself. */
function comparable(meaning: Meaning | undefined): Meaning {
  if (!meaning) return { program: 'missing' };
  const { volumes, shared, pids_limit: pids, ...others } = meaning;
  delete others['neighbours'];
  return {
    ...others,
    volumes: withoutProbe(volumes),
    shared: withoutProbe(shared),
    // Its bound for processes of those that ask for none.
    pids_limit: pids === 'max' ? '4096' : pids,
  };
}

/** The program of Berth's own checks. */
const withoutProbe = (mounts: unknown): object =>
  Object.fromEntries(Object.entries(Object(mounts)).filter(([target]) => !target.startsWith('/.berth')));
