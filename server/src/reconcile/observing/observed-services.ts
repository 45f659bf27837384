/** What was seen of the services of one host, and what is shown of it. */
import { taskLabel } from '../../domain/names/labels.ts';
import type { HostSight } from '../../domain/states/condition.ts';
import {
  liveOf,
  type Live,
  type LiveProblem,
  type RunningDeployment,
  type SeenService,
} from '../../domain/states/live.ts';
import { ownerOfLabels, serviceKey, type ServiceRef } from '../../domain/names/service-ref.ts';
import type { Clock } from '../../ports/clock.ts';
import { type Engine, type RunningService, type ServiceWithTasks } from '../../ports/engine/engine.ts';
import { emptyMemory, seeService, type ServiceMemory } from './service-memory.ts';

export interface ObservedOptions {
  engine: Pick<Engine, 'containerEnd'>;
  clock: Clock;
  /** What is known of the deployment of a release; undefined for one that was cleared. */
  deploymentOf(deploymentId: string): Promise<RunningDeployment | undefined>;
  /** By the services' keys: what runs of each. The observer of each host writes what is its own. */
  shown: Map<string, Live>;
  /** Told once of a released service that has come into trouble, with the engine's name for it. */
  onProblem(problem: LiveProblem, name: string, live: Live): void;
  /** Told of a service each time it is looked at. */
  onSeen?(found: RunningService): void;
  /** Told when something of what is shown may be another than before. */
  onShown?(): void;
}

export interface ObservedServices {
  note(name: string, found: ServiceWithTasks, paused: ReadonlySet<string>): Promise<void>;
  /** These are all that there are. */
  noteAll(all: readonly RunningService[], paused: ReadonlySet<string>): Promise<void>;
  /** Whether the engine was seen, and whether it answers. */
  sight(): HostSight;
  /** The engine does not answer: what it ran stays shown, with when it was last seen. */
  lose(): void;
  unreachableSince(): string | null;
}

interface Noted {
  owner: ServiceRef;
  memory: ServiceMemory;
  seen: SeenService;
}

interface Book extends ObservedOptions {
  /** By the engine's names. */
  noted: Map<string, Noted>;
  lastSeen: string | undefined;
  unreachableSince: string | null;
}

export function createObservedServices(options: ObservedOptions): ObservedServices {
  const book: Book = {
    ...options,
    deploymentOf: knownDeployments(options.deploymentOf),
    noted: new Map(),
    lastSeen: undefined,
    unreachableSince: null,
  };
  return {
    async note(name, { service, tasks }, paused) {
      reached(book);
      const former = book.noted.get(name)?.owner;
      const entry = service && (await remember(book, { service, tasks }, paused));
      if (!entry) book.noted.delete(name);
      show(book, [former, entry?.owner]);
      if (entry) tell(book, name, entry);
    },
    sight() {
      if (book.unreachableSince !== null) return { state: 'away', since: book.unreachableSince };
      return { state: book.lastSeen === undefined ? 'unseen' : 'seen' };
    },
    async noteAll(all, paused) {
      reached(book);
      const former = new Map(book.noted);
      const names = new Set<string>();
      for (const found of all) if (await remember(book, found, paused)) names.add(found.service.name);
      for (const name of former.keys()) if (!names.has(name)) book.noted.delete(name);
      show(
        book,
        [...former.values(), ...book.noted.values()].map(({ owner }) => owner),
      );
      for (const [name, entry] of book.noted) tell(book, name, entry);
    },
    unreachableSince: () => book.unreachableSince,
    lose() {
      if (book.unreachableSince !== null) return;
      book.unreachableSince = book.lastSeen ?? new Date(book.clock.now()).toISOString();
      showEverything(book);
    },
  };
}

function reached(book: Book): void {
  const wasAway = book.unreachableSince !== null;
  book.lastSeen = new Date(book.clock.now()).toISOString();
  book.unreachableSince = null;
  if (wasAway) showEverything(book);
}

function showEverything(book: Book): void {
  show(
    book,
    [...book.noted.values()].map(({ owner }) => owner),
  );
}

/** What is known of these owners now; of one that has nothing left, nothing. */
function show(
  { noted, shown, unreachableSince, onShown }: Book,
  owners: readonly (ServiceRef | undefined)[],
): void {
  const parts = Map.groupBy(noted.values(), ({ owner }) => serviceKey(owner));
  for (const [key, owner] of new Map(owners.flatMap((one) => (one ? [[serviceKey(one), one]] : [])))) {
    const seen = (parts.get(key) ?? []).map((part) => part.seen);
    const live = liveOf(seen, unreachableSince, owner.kind === 'compose');
    if (live === null) shown.delete(key);
    else shown.set(key, live);
  }
  onShown?.();
}

/** Undefined for what belongs to no service, and for one-off tasks. */
async function remember(
  book: Book,
  found: RunningService,
  paused: ReadonlySet<string>,
): Promise<Noted | undefined> {
  const { name, labels } = found.service;
  const owner = ownerOfLabels(labels);
  if (owner === undefined || labels[taskLabel] !== undefined) return undefined;
  book.onSeen?.(found);
  const memory = book.noted.get(name)?.memory ?? emptyMemory();
  const seen = await seeService(memory, found, {
    now: book.clock.now(),
    endOf: book.engine.containerEnd,
    paused,
  });
  const deployment = seen.deploymentId === undefined ? undefined : await book.deploymentOf(seen.deploymentId);
  const entry = { owner, memory, seen: { ...seen, deployment } };
  book.noted.set(name, entry);
  return entry;
}

/** What is wrong is told once; a deployment that is under way tells of itself. */
function tell({ shown, onProblem }: Book, name: string, { owner, memory, seen }: Noted): void {
  if (seen.problem === null) memory.told = null;
  if (seen.problem === null || seen.problem === memory.told || seen.deployment?.isDone !== true) return;
  memory.told = seen.problem;
  const live = shown.get(serviceKey(owner));
  if (live) onProblem(seen.problem, name, live);
}

const mostKnown = 5000;

/** Each deployment is read once; one that is under way is read again. */
function knownDeployments(read: ObservedOptions['deploymentOf']): ObservedOptions['deploymentOf'] {
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
