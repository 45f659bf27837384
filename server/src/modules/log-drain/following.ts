/** Follows what services write on every host: those that somebody wants, each once. */
import { composeServiceLabel, taskLabel } from '../../domain/names/labels.ts';
import { serviceKey, ownerOfLabels } from '../../domain/names/service-ref.ts';
import type { Engine, LogLine, ServiceState } from '../../ports/engine/engine.ts';
import { isoTime } from '../../ports/clock.ts';
import { refOfService } from '../service/record-lists.ts';
import type { PlacedService } from '../service/service.ts';
import type { DrainedLine } from './forms.ts';
import { createPatience, type Patience, type PatiencePorts } from './patience.ts';

/** A service of the engine, and whose it is. */
export interface FollowedService {
  organizationId: string;
  projectId: string;
}

export interface FollowedLine extends FollowedService {
  line: DrainedLine;
}

export interface FollowServices {
  /** Follows from now on those that are wanted, and no others; what they write goes to `take`. */
  only(isWanted: (service: FollowedService) => boolean, take: (line: FollowedLine) => void): Promise<void>;
  stop(): Promise<void>;
}

export interface FollowedHost {
  key: string;
  name: string;
  engine: Pick<Engine, 'services' | 'serviceLogs'>;
}

/** A host whose engine does not answer, or a service that cannot be read, is told of once (PatiencePorts). */
export interface FollowingPorts extends PatiencePorts {
  hosts(): Promise<readonly FollowedHost[]>;
  /** Every service, with where it stands. */
  placed(): Promise<readonly PlacedService[]>;
  organizationName(organizationId: string): Promise<string>;
}

interface Follower {
  stop(): void;
  over: Promise<void>;
}

export function createFollowing(ports: FollowingPorts): FollowServices {
  const patience = createPatience(ports);
  const engines = createSeenEngines(ports, patience);
  const followers = new Map<string, Follower>();
  /** The newest line of each, after which a stream that broke is continued. */
  const newest = new Map<string, string>();
  let lastLook: string | undefined;
  function start(key: string, one: Wanted, take: (line: FollowedLine) => void): void {
    const stopping = new AbortController();
    const { signal } = stopping;
    const over = read(one, { key, newest, take, signal, onLine: () => patience.succeeded(one.words) })
      .catch((error: unknown) => {
        if (!signal.aborted) patience.failed(one.words, error);
      })
      .finally(() => followers.delete(key));
    followers.set(key, { stop: () => stopping.abort(), over });
  }
  return {
    async only(isWanted, take) {
      const now = isoTime(ports.clock);
      const wanted = (await ports.placed()).filter(isWanted);
      const present =
        wanted.length === 0 ? new Map() : servicesOf(await engines(), await refs(ports, wanted));
      // What was written before somebody wanted it stays here; what a new service wrote since the last look
      // does not.
      for (const key of present.keys()) if (!newest.has(key)) newest.set(key, lastLook ?? now);
      lastLook = wanted.length === 0 ? undefined : now;
      for (const [key, follower] of followers) if (!present.has(key)) follower.stop();
      for (const key of newest.keys()) if (!present.has(key)) newest.delete(key);
      for (const [key, one] of present)
        if (!followers.has(key) && patience.isDue(one.words) && !patience.isInTrouble(one.host.name))
          start(key, one, take);
    },
    async stop() {
      const all = [...followers.values()];
      for (const follower of all) follower.stop();
      await Promise.all(all.map(({ over }) => over));
    },
  };
}

interface SeenEngine {
  host: FollowedHost;
  /** As it showed them last: one that does not answer for a while keeps its services. */
  services: readonly ServiceState[];
}

/** What every engine showed last. One that does not answer is not waited for again until it does. */
function createSeenEngines(
  { hosts }: FollowingPorts,
  patience: Patience,
): () => Promise<readonly SeenEngine[]> {
  const seen = new Map<string, SeenEngine>();
  const looking = new Set<string>();
  async function look(host: FollowedHost): Promise<void> {
    looking.add(host.key);
    try {
      seen.set(host.key, { host, services: await host.engine.services() });
      patience.succeeded(host.name);
    } catch (error) {
      patience.failed(host.name, error);
    } finally {
      looking.delete(host.key);
    }
  }
  return async () => {
    const present = await hosts();
    for (const [key, { host }] of seen)
      if (!present.some((one) => one.key === key)) {
        seen.delete(key);
        patience.forget(host.name);
      }
    const awaited = present.flatMap((host) => {
      if (looking.has(host.key) || !patience.isDue(host.name)) return [];
      const wasInTrouble = patience.isInTrouble(host.name);
      const looked = look(host);
      return wasInTrouble ? [] : looked;
    });
    await Promise.all(awaited);
    return [...seen.values()];
  };
}

interface Wanted {
  host: FollowedHost;
  engineName: string;
  placed: PlacedService;
  organization: string;
  service: string;
  /** For people. */
  words: string;
}

interface Place {
  placed: PlacedService;
  organization: string;
}

/** By the service's key. */
async function refs(
  { organizationName }: FollowingPorts,
  wanted: readonly PlacedService[],
): Promise<Map<string, Place>> {
  const names = new Map<string, string>();
  for (const { organizationId } of wanted)
    if (!names.has(organizationId)) names.set(organizationId, await organizationName(organizationId));
  return new Map(
    wanted.map((placed) => [
      serviceKey(refOfService(placed)),
      { placed, organization: names.get(placed.organizationId) ?? placed.organizationId },
    ]),
  );
}

/** By host and name on its engine. */
function servicesOf(engines: readonly SeenEngine[], wanted: ReadonlyMap<string, Place>): Map<string, Wanted> {
  const found = new Map<string, Wanted>();
  for (const { host, services } of engines)
    for (const { name, labels } of services) {
      const owner = labels[taskLabel] === undefined ? ownerOfLabels(labels) : undefined;
      const one = owner && wanted.get(serviceKey(owner));
      if (!one) continue;
      const part = labels[composeServiceLabel];
      const { appName } = one.placed;
      found.set(`${host.key} ${name}`, {
        ...one,
        host,
        engineName: name,
        service: part === undefined ? appName : `${appName}_${part}`,
        words: `${name} on ${host.name}`,
      });
    }
  return found;
}

interface Reading {
  key: string;
  newest: Map<string, string>;
  take(line: FollowedLine): void;
  onLine(): void;
  signal: AbortSignal;
}

async function read(one: Wanted, { key, newest, take, onLine, signal }: Reading): Promise<void> {
  const { host, engineName, placed } = one;
  const { organizationId, projectId } = placed;
  const since = newest.get(key) ?? '';
  for await (const line of host.engine.serviceLogs(engineName, { since, follow: true, signal })) {
    onLine();
    const at = comparable(line.at);
    if (at <= comparable(since)) continue;
    if (at > comparable(newest.get(key) ?? '')) newest.set(key, line.at);
    take({ organizationId, projectId, line: drained(one, line) });
  }
}

/** Of moments whose digits of a second are cut where zeros begin. */
const comparable = (at: string): string =>
  at.replace(/(?:\.(\d+))?Z$/, (_all, digits: string = '') => `.${digits.padEnd(9, '0')}`);

const drained = (
  { placed, organization, service, host }: Wanted,
  { at, stream, taskId, nodeId, text }: LogLine,
): DrainedLine => ({
  at,
  stream,
  task: taskId,
  node: nodeId === '' ? host.name : nodeId,
  text,
  organization,
  project: placed.projectName,
  environment: placed.environmentName,
  service,
});
