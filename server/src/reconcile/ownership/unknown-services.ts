/**
 * Services of this installation that none of its records names. They are stopped and told first, and removed
 * after a day. What stood there before this installation could know of it, in a restored incarnation or on a
 * server that was added later, is left as it is until a person removes it.
 */
import { installationLabel } from '../../domain/names/labels.ts';
import { ownerOfLabels, serviceKey } from '../../domain/names/service-ref.ts';
import type { KnownThings } from '../../modules/installation/installation.ts';
import type { Engine, ServiceState } from '../../ports/engine/engine.ts';

export interface UnknownPlan {
  serverKey: string;
  things: Pick<KnownThings, 'unknown' | 'keepUnknown' | 'forgetUnknown'>;
  /** Whether this incarnation began with a restore: its records may be older than what runs. */
  isRestored: boolean;
  /** Since when this installation has the host (ISO 8601); undefined for Berth's own machine. */
  hostSince: string | undefined;
  /** Milliseconds. */
  now(): number;
}

const dayMs = 24 * 3_600_000;

/** Whether the service bears the id of this installation and belongs to none of the known ones. */
export function isUnknown({ labels }: Pick<ServiceState, 'labels'>, known: ReadonlySet<string>): boolean {
  const owner = ownerOfLabels(labels);
  return owner !== undefined && !!labels[installationLabel] && !known.has(serviceKey(owner));
}

/** Ends the unknown services of a host; returns what is new to tell. */
export async function endUnknown(
  engine: Pick<Engine, 'scaleService' | 'removeService'>,
  plan: UnknownPlan,
  unknown: readonly ServiceState[],
): Promise<string[]> {
  const { serverKey, things } = plan;
  const found: string[] = [];
  for (const { name } of await things.unknown(serverKey))
    if (!unknown.some((service) => service.name === name)) await things.forgetUnknown(serverKey, name);
  for (const service of unknown) found.push(...(await endOne(engine, plan, service)));
  return found;
}

async function endOne(
  engine: Pick<Engine, 'scaleService' | 'removeService'>,
  plan: UnknownPlan,
  service: ServiceState,
): Promise<string[]> {
  const { serverKey, things, now } = plan;
  const { name, id: engineId, labels } = service;
  const owner = ownerOfLabels(labels);
  const isLeft = plan.isRestored || isOlder(service, plan.hostSince);
  const isNew = await things.keepUnknown({
    serverKey,
    kind: 'service',
    name,
    engineId,
    owner: owner ? serviceKey(owner) : '',
    seenAt: new Date(now()).toISOString(),
    removedAt: isLeft ? null : new Date(now() + dayMs).toISOString(),
  });
  const kept = (await things.unknown(serverKey)).find((one) => one.name === name);
  const removedAt = kept?.removedAt ?? null;
  if (removedAt !== null && Date.parse(removedAt) <= now()) {
    await engine.removeService(name);
    await things.forgetUnknown(serverKey, name);
    return [`${name}: no record named its ${owner?.kind ?? 'owner'} for a day; removed it`];
  }
  if (removedAt !== null && service.replicas > 0) await engine.scaleService(name, 0);
  if (!isNew) return [];
  const what = `${name}: it is of this installation, but no record names its ${owner?.kind ?? 'owner'}`;
  return removedAt === null
    ? [`${what}; it goes on as it is until somebody removes it (cleanup.removeUnknown)`]
    : [`${what}; stopped. It is removed on ${removedAt}, or before with cleanup.removeUnknown`];
}

function isOlder({ createdAt }: ServiceState, hostSince: string | undefined): boolean {
  if (hostSince === undefined) return false;
  return createdAt === undefined || createdAt === '' || Date.parse(createdAt) < Date.parse(hostSince);
}
