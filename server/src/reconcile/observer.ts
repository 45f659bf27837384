/**
 * Watches what the engine of one host runs, and keeps it in memory for whoever reads: the engine's events say
 * which services to look at, and a slow look at all of them finds what no event told. Reads ask neither engine
 * nor database.
 */
import { AppError } from '../domain/errors.ts';
import {
  liveOf,
  type Live,
  type LiveProblem,
  type RunningDeployment,
  type SeenService,
} from '../domain/live.ts';
import { ownerOfLabels, serviceKey, type ServiceRef } from '../domain/service-ref.ts';
import type { Clock } from '../ports/clock.ts';
import { taskLabel, type Engine, type RunningService, type ServiceWithTasks } from '../ports/engine.ts';
import { emptyMemory, seeService, type ServiceMemory } from './service-memory.ts';

export interface ObserverOptions {
  engine: Pick<Engine, 'changes' | 'containerEnd' | 'services' | 'servicesWithTasks' | 'serviceWithTasks'>;
  clock: Clock;
  /** What is known of the deployment of a release; undefined for one that was cleared. */
  deploymentOf(deploymentId: string): Promise<RunningDeployment | undefined>;
  /** By the services' keys: what runs of each. The observer of each host writes what is its own. */
  shown: Map<string, Live>;
  /** Told once of a released service that has come into trouble, with the engine's name for it. */
  onProblem(problem: LiveProblem, name: string, live: Live): void;
  /** Told what nobody expected. */
  onFault(error: unknown): void;
  fullLookMs?: number;
}

export interface Observer {
  /** Looks at everything once; SERVICE_UNAVAILABLE when the engine does not answer. */
  look(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

const usualFullLookMs = 60_000;
/** An event of a container is there before the swarm knows what became of its task. */
const looksAfterMs = [300, 3000] as const;
const firstRetryMs = 1000;
const longestRetryMs = 30_000;

export function createObserver(options: ObserverOptions): Observer {
  const { engine, fullLookMs = usualFullLookMs } = options;
  const book = createBook(options);
  const stopped = new AbortController();
  const timers = new Set<NodeJS.Timeout>();
  const due = new Set<string>();
  let work = Promise.resolve();
  let following: Promise<void> | undefined;

  /** One look at a time; what fails is told, but an engine that is away. */
  function inTurn(look: () => Promise<void>): Promise<void> {
    work = work.then(async () => {
      if (stopped.signal.aborted) return;
      try {
        await look();
      } catch (error) {
        if (isUnavailable(error)) book.lose();
        else options.onFault(error);
      }
    });
    return work;
  }
  function later(ms: number, then: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      then();
    }, ms);
    timers.add(timer.unref());
  }
  function lookSoon(name: string): void {
    for (const ms of looksAfterMs) {
      const key = `${ms} ${name}`;
      if (due.has(key)) continue;
      due.add(key);
      later(ms, () => {
        due.delete(key);
        void inTurn(async () => book.note(name, await engine.serviceWithTasks(name)));
      });
    }
  }
  const lookAtAll = async (): Promise<void> => book.noteAll(await engine.servicesWithTasks());
  async function follow(): Promise<void> {
    for (
      let retryMs = firstRetryMs;
      !stopped.signal.aborted;
      retryMs = Math.min(retryMs * 2, longestRetryMs)
    ) {
      try {
        for await (const name of engine.changes(stopped.signal)) {
          retryMs = firstRetryMs;
          if (name === undefined) void inTurn(lookAtAll);
          else lookSoon(name);
        }
      } catch (error) {
        if (isUnavailable(error)) book.lose();
        else options.onFault(error);
      }
      await unlessStopped(retryMs, stopped.signal);
    }
  }
  function lookAgain(): void {
    if (!stopped.signal.aborted) later(fullLookMs, () => void inTurn(lookAtAll).then(lookAgain));
  }
  return {
    look: lookAtAll,
    start() {
      following ??= follow();
      lookAgain();
    },
    async stop() {
      stopped.abort();
      for (const timer of timers) clearTimeout(timer);
      await Promise.all([following, work]);
    },
  };
}

interface Noted {
  owner: ServiceRef;
  memory: ServiceMemory;
  seen: SeenService;
}

/** What is known of the services of a host, and what is shown of it. */
function createBook({ engine, clock, deploymentOf, shown, onProblem }: ObserverOptions) {
  const noted = new Map<string, Noted>();
  const known = knownDeployments(deploymentOf);
  let lastSeen: string | undefined;
  let unreachableSince: string | null = null;

  function show(owner: ServiceRef): Live | null {
    const key = serviceKey(owner);
    const parts = [...noted.values()].filter((each) => serviceKey(each.owner) === key);
    const live = liveOf(
      parts.map(({ seen }) => seen),
      unreachableSince,
      owner.kind === 'compose',
    );
    if (live === null) shown.delete(key);
    else shown.set(key, live);
    return live;
  }
  /** The owner whose service was seen. */
  async function remember(found: RunningService): Promise<Noted | undefined> {
    const { name, labels } = found.service;
    const owner = ownerOfLabels(labels);
    if (owner === undefined || labels[taskLabel] !== undefined) return undefined;
    const memory = noted.get(name)?.memory ?? emptyMemory();
    const seen = await seeService(memory, found, clock.now(), engine.containerEnd);
    const deployment = seen.deploymentId === undefined ? undefined : await known(seen.deploymentId);
    const note = { owner, memory, seen: { ...seen, deployment } };
    noted.set(name, note);
    return note;
  }
  /** What is wrong is told once; a deployment that is under way tells of itself. */
  function tell(name: string, { memory, seen }: Noted, live: Live | null): void {
    if (seen.problem === null) memory.told = null;
    if (seen.problem === null || seen.problem === memory.told || seen.deployment?.isDone !== true) return;
    memory.told = seen.problem;
    if (live) onProblem(seen.problem, name, live);
  }
  function reached(): void {
    lastSeen = new Date(clock.now()).toISOString();
    const wasAway = unreachableSince !== null;
    unreachableSince = null;
    if (wasAway) for (const { owner } of noted.values()) show(owner);
  }
  function forget(name: string): void {
    const gone = noted.get(name);
    noted.delete(name);
    if (gone) show(gone.owner);
  }
  async function note(name: string, { service, tasks }: ServiceWithTasks): Promise<void> {
    reached();
    const entry = service && (await remember({ service, tasks }));
    if (entry) tell(name, entry, show(entry.owner));
    else forget(name);
  }
  return {
    note,
    async noteAll(all: readonly RunningService[]): Promise<void> {
      reached();
      const owners = new Map<string, ServiceRef>();
      const there = new Map<string, Noted>();
      for (const found of all) {
        const entry = await remember(found);
        if (!entry) continue;
        there.set(found.service.name, entry);
        owners.set(serviceKey(entry.owner), entry.owner);
      }
      for (const [name, { owner }] of noted) {
        if (there.has(name)) continue;
        noted.delete(name);
        owners.set(serviceKey(owner), owner);
      }
      showAll(noted, owners, unreachableSince, shown);
      for (const [name, entry] of there) tell(name, entry, shown.get(serviceKey(entry.owner)) ?? null);
    },
    /** The engine does not answer: what it ran stays shown, with when it was last seen. */
    lose(): void {
      if (unreachableSince !== null) return;
      unreachableSince = lastSeen ?? new Date(clock.now()).toISOString();
      for (const { owner } of noted.values()) show(owner);
    },
  };
}

/** All at once: for each by itself the others would be walked through again. */
function showAll(
  noted: ReadonlyMap<string, Noted>,
  owners: ReadonlyMap<string, ServiceRef>,
  unreachableSince: string | null,
  shown: Map<string, Live>,
): void {
  const parts = Map.groupBy(noted.values(), ({ owner }) => serviceKey(owner));
  for (const [key, owner] of owners) {
    const seen = (parts.get(key) ?? []).map((part) => part.seen);
    const live = liveOf(seen, unreachableSince, owner.kind === 'compose');
    if (live === null) shown.delete(key);
    else shown.set(key, live);
  }
}

const mostKnown = 5000;

/** Each deployment is read once; one that is under way is read again. */
function knownDeployments(read: ObserverOptions['deploymentOf']): ObserverOptions['deploymentOf'] {
  const known = new Map<string, RunningDeployment>();
  return async (deploymentId) => {
    const present = known.get(deploymentId);
    if (present) return present;
    const found = await read(deploymentId);
    if (known.size >= mostKnown) known.clear();
    if (found?.isDone) known.set(deploymentId, found);
    return found;
  };
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE';
}

function unlessStopped(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
