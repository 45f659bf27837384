/**
 * Who sees which event: whoever may read what it is about, by the same rules as the guard, at that moment
 * (decisions 14).
 */
import { AppError } from '../../domain/errors.ts';
import { reachOf, type Scope } from '../../domain/access/permissions.ts';
import type { Actor } from '../../procedure/context.ts';
import { checkKey, checkPlace, type PlacePorts } from '../../procedure/place.ts';
import { resourceKinds, type Contract, type ResourceKind } from '../../procedure/procedure.ts';
import type { RegisteredProcedure } from '../../procedure/registry.ts';
import type { EventRecord, EventStore } from './store.ts';

export interface VisibilityPorts extends Pick<PlacePorts, 'standingOf'> {
  contracts: Readonly<Record<string, Contract>>;
  reachesInto: EventStore['reachesInto'];
}

/** `whole`: as it stands; `left`: it left what the caller reaches. */
export type Sight = 'whole' | 'left' | 'none';

export interface Visibility {
  /** What this person sees with what they may now. */
  of(actor: Actor): Promise<(event: EventRecord) => Sight | Promise<Sight>>;
}

/** Names of the procedure that reads a thing, in the order they are looked for. */
const readNames = ['one', 'all', 'get'] as const;

export function createVisibility({ contracts, standingOf, reachesInto }: VisibilityPorts): Visibility {
  const reads = readsOf(contracts);
  return {
    async of(actor) {
      const standing = once(() => standingOf(actor.organizationId));
      const readable = new Set<string>();
      for (const [kind, read] of reads)
        if (await mayCall({ standingOf: standing }, read, actor)) readable.add(kind);
      const reaches = reachOf(actor);
      function isReached(event: EventRecord, place: Scope): boolean | Promise<boolean> {
        const need = needOf(event.kind);
        if (need === 'nothing') return true;
        if (need === 'own') return event.userId === actor.userId;
        if (need !== 'assigned') return actor.grants[need];
        if (reaches(place)) return true;
        const isPlace = event.kind === 'project' || event.kind === 'environment';
        return isPlace && place.projectId !== undefined
          ? reachesInto(actor.grants, {
              projectId: place.projectId,
              environmentId: place.environmentId ?? null,
            })
          : false;
      }
      async function sightOfMember(event: EventRecord): Promise<Sight> {
        if (await isReached(event, placeOf(event))) return 'whole';
        return event.formerEnvironmentId !== null && (await isReached(event, formerPlaceOf(event)))
          ? 'left'
          : 'none';
      }
      return (event) => {
        if (event.organizationId !== null && event.organizationId !== actor.organizationId) return 'none';
        if (!readable.has(event.kind)) return 'none';
        if (event.kind === 'user') return event.userId === actor.userId ? 'whole' : 'none';
        return actor.role === 'member' ? sightOfMember(event) : 'whole';
      };
    },
  };
}

function placeOf({ organizationId, projectId, environmentId, serviceId }: EventRecord): Scope {
  return {
    organizationId: organizationId ?? '',
    projectId: projectId ?? undefined,
    environmentId: environmentId ?? undefined,
    serviceId: serviceId ?? undefined,
  };
}

function formerPlaceOf(event: EventRecord): Scope {
  return placeOf({ ...event, projectId: event.formerProjectId, environmentId: event.formerEnvironmentId });
}

/** What is no kind of its own (settings, swarm) asks for its procedure's class only. */
function needOf(kind: string): (typeof resourceKinds)[ResourceKind] {
  return isResourceKind(kind) ? resourceKinds[kind] : 'nothing';
}

function isResourceKind(kind: string): kind is ResourceKind {
  return kind in resourceKinds;
}

type Target = Pick<RegisteredProcedure, 'path' | 'router' | 'procedure'>;

function readsOf(contracts: VisibilityPorts['contracts']): Map<string, Target> {
  const reads = new Map<string, Target>();
  for (const [router, contract] of Object.entries(contracts)) {
    const name = readNames.find((each) => contract[each] !== undefined);
    const procedure = name && contract[name];
    if (procedure) reads.set(router, { path: `${router}.${name}`, router, procedure });
  }
  return reads;
}

async function mayCall(
  ports: Pick<PlacePorts, 'standingOf'>,
  target: Target,
  actor: Actor,
): Promise<boolean> {
  try {
    checkKey(target, actor);
    await checkPlace(ports, target, actor);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => (answer ??= ask());
}
