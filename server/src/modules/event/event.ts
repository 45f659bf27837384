/** Events: told with the change they are about, followed by whoever may see them (decisions 14). */
import type { NewEvent } from '../../db/tables.ts';
import type { Scope } from '../../domain/access/permissions.ts';
import type { Actor } from '../../procedure/context.ts';
import type { StreamEvent } from '../../procedure/procedure.ts';
import type { ToldChange } from '../../procedure/told-change.ts';
import type { ConditionChange } from '../service/service.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventRecord, EventStore } from './store.ts';
import type { ShownEvent } from './record.ts';
import { createTail } from './tail.ts';
import type { Sight, Visibility } from './visibility.ts';

/** Positions of this age can be gone on from. */
export const keptMs = 15 * 60_000;
/** Who sees nothing of what happens is told where it is, so that a later connection can go on from there. */
const positionMs = 5 * 60_000;

export interface Following {
  lastEventId: string | undefined;
  /** Without it, it ends with what there is now. */
  follow: boolean;
  signal: AbortSignal;
  /** Who reads, with what they may now; throws when they may not any more. */
  actorNow(): Promise<Actor>;
}

export interface Events {
  /** Stores the event of a change, in the transaction under way. */
  tellChange(change: ToldChange): Promise<void>;
  tell(event: Omit<NewEvent, 'at'>): Promise<void>;
  /** Those of one look, together. */
  tellAll(events: readonly Omit<NewEvent, 'at'>[]): Promise<void>;
  stream(following: Following): AsyncIterable<StreamEvent<ShownEvent>>;
  /** Whether somebody follows. */
  isFollowed(): boolean;
  /** Takes away what is too old. */
  prune(): Promise<void>;
}

export interface EventParts {
  store: EventStore;
  clock: Clock;
  visibility: Visibility;
  onFault(error: unknown): void;
}

export function createEvents({ store, clock, visibility, onFault }: EventParts): Events {
  const tail = createTail(store, onFault);
  const tell = (event: Omit<NewEvent, 'at'>): Promise<void> => store.tell({ ...event, at: clock.now() });
  return {
    tell,
    tellAll: (events) =>
      store.transaction(async () => {
        for (const event of events) await tell(event);
      }),
    tellChange: (change) => tell(eventOf(change)),
    isFollowed: () => tail.readers() > 0,
    prune: () => store.prune(clock.now() - keptMs),
    stream: (following) => follow(following, { store, clock, visibility, tail }),
  };
}

interface Sources extends Pick<EventParts, 'store' | 'clock' | 'visibility'> {
  tail: ReturnType<typeof createTail>;
}

async function* follow(
  { lastEventId, follow: goesOn, signal, actorNow }: Following,
  { store, clock, visibility, tail }: Sources,
): AsyncIterable<StreamEvent<ShownEvent>> {
  const reader = tail.join(signal);
  try {
    const start = await beginning(store, clock, lastEventId);
    let { position } = start;
    let told = clock.now();
    if (start.type !== undefined) yield mark(start.type, position);
    let see = await visibility.of(await actorNow());
    while (!reader.isOver()) {
      const next = reader.after(position);
      // What is in memory is not waited for: with many readers each turn of the queue counts.
      const events = next instanceof Promise ? await next : next;
      // Whoever reads so slowly that what comes next is gone begins anew.
      if (events[0] && events[0].position !== position + 1) yield mark('reset', events[0].position - 1);
      for (const event of events) {
        if (changesRights(event)) see = await visibility.of(await actorNow());
        position = event.position;
        const seen = see(event);
        const sight = seen instanceof Promise ? await seen : seen;
        if (sight === 'none') continue;
        told = clock.now();
        yield sight === 'whole' ? shownWhole(event) : shown(event, sight);
      }
      if (events.length > 0 && clock.now() - told > positionMs) {
        told = clock.now();
        yield mark('position', position);
      }
      if (events.length > 0) continue;
      if (!goesOn) return;
      await reader.wait(position);
    }
  } finally {
    reader.leave();
  }
}

/** Where to begin, and what the reader is told of it first. */
async function beginning(
  store: EventStore,
  clock: Clock,
  lastEventId: string | undefined,
): Promise<{ position: number; type: 'position' | 'reset' | undefined }> {
  const head = await store.head();
  if (lastEventId === undefined || lastEventId === '') return { position: head, type: 'position' };
  const asked = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : -1;
  return asked >= (await store.keptFrom(clock.now() - keptMs)) && asked <= head
    ? { position: asked, type: undefined }
    : { position: head, type: 'reset' };
}

function mark(type: 'position' | 'reset', position: number): StreamEvent<ShownEvent> {
  return { id: String(position), data: { type, id: String(position) } };
}

/** Members, their grants, and what somebody made, which opens it to them. */
function changesRights({ kind, what }: EventRecord): boolean {
  return kind === 'organization' || kind === 'user' || what === 'created';
}

/** By the events as the tail holds them: most who see one see the same of it. */
const known = new WeakMap<EventRecord, StreamEvent<ShownEvent>>();

function shownWhole(event: EventRecord): StreamEvent<ShownEvent> {
  const present = known.get(event);
  if (present) return present;
  const made = { ...shown(event, 'whole'), isShared: true } as const;
  known.set(event, made);
  return made;
}

function shown(event: EventRecord, sight: Sight): StreamEvent<ShownEvent> {
  return { id: String(event.position), data: dataOf(event, sight) };
}

function dataOf(event: EventRecord, sight: Sight): ShownEvent {
  const { at, kind, what, resourceId, serviceId, environmentId, projectId, status, stage } = event;
  const base = {
    type: 'event',
    id: String(event.position),
    at: new Date(at).toISOString(),
    kind,
    resourceId,
    serviceId: serviceId ?? undefined,
  } as const;
  // Where it stands now is not for whoever reaches only where it stood.
  if (sight === 'left')
    return {
      ...base,
      what: 'removed',
      environmentId: event.formerEnvironmentId ?? undefined,
      projectId: event.formerProjectId ?? undefined,
    };
  return {
    ...base,
    what,
    environmentId: environmentId ?? undefined,
    projectId: projectId ?? undefined,
    status: status ?? undefined,
    stage: stage ?? undefined,
  };
}

function eventOf({
  kind,
  what,
  resourceId,
  organizationId,
  scope,
  former,
  userId,
}: ToldChange): Omit<NewEvent, 'at'> {
  const isMoved = former !== undefined && !isSamePlace(scope, former);
  return {
    organizationId,
    projectId: scope?.projectId ?? null,
    environmentId: scope?.environmentId ?? null,
    serviceId: scope?.serviceId ?? null,
    formerProjectId: isMoved ? (former.projectId ?? null) : null,
    formerEnvironmentId: isMoved ? (former.environmentId ?? null) : null,
    userId,
    kind,
    what,
    resourceId,
    status: null,
    stage: null,
  };
}

/** A service that is in another condition than before. */
export function conditionEvent(change: ConditionChange): Omit<NewEvent, 'at'> {
  const { organizationId, projectId, environmentId, serviceId, kind, condition } = change;
  return {
    organizationId,
    projectId,
    environmentId,
    serviceId,
    formerProjectId: null,
    formerEnvironmentId: null,
    userId: null,
    kind,
    what: 'condition',
    resourceId: serviceId,
    status: condition,
    stage: null,
  };
}

function isSamePlace(left: Scope | undefined, right: Scope): boolean {
  return left?.environmentId === right.environmentId && left?.projectId === right.projectId;
}
