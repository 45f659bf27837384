/**
 * The service that runs an application or a database: found by its name and owner, waited for, its output,
 * its end.
 */
import { AppError, sentenceOf } from '../../domain/errors.ts';
import {
  isSameService,
  ownerLabels,
  ownerOfLabels,
  type ServiceRef,
} from '../../domain/names/service-ref.ts';
import type { Engine, LogLine, ServiceState } from '../../ports/engine/engine.ts';
import { removeWhenFree } from '../../ports/engine/remove-when-free.ts';
import { waitUntilSo } from '../../ports/wait-until.ts';

/** A service as it was released. */
export interface OwnedService extends ServiceRef {
  appName: string;
  releasedAppName: string | null;
}

export interface OutputOptions {
  tail: number;
  since?: string | undefined;
  search?: string | undefined;
}

export interface FollowOptions {
  tail: number;
  since?: string | undefined;
  signal: AbortSignal;
}

/** An engine that may have the service; undefined: its server was never connected, so nothing of it runs. */
export type PossibleEngine = Pick<Engine, 'service' | 'serviceLogs'> | undefined;

const waitLimitMs = 60_000;
const pollMs = 200;

/** The name it runs under: that of its last release. */
export const nameOf = ({
  appName,
  releasedAppName,
}: Pick<OwnedService, 'appName' | 'releasedAppName'>): string => releasedAppName ?? appName;

/** The service's own; another's under the same name is none of its business. */
export async function ownService(
  engine: Pick<Engine, 'service'> | undefined,
  owned: OwnedService,
): Promise<ServiceState | undefined> {
  const service = await engine?.service(nameOf(owned));
  return service && isSameService(ownerOfLabels(service.labels), owned) ? service : undefined;
}

export async function readOutput(
  engine: PossibleEngine,
  owned: OwnedService,
  { tail, since, search }: OutputOptions,
): Promise<LogLine[]> {
  if (!engine || !(await ownService(engine, owned))) return [];
  return Array.fromAsync(engine.serviceLogs(nameOf(owned), { tail, since, search }));
}

export async function* followOutput(
  engine: PossibleEngine,
  owned: OwnedService,
  { tail, since, signal }: FollowOptions,
): AsyncIterable<LogLine> {
  if (engine && (await ownService(engine, owned)))
    yield* engine.serviceLogs(nameOf(owned), { tail, since, follow: true, signal });
}

/**
 * SERVICE_UNAVAILABLE when it is not there within 60 s; `reader` is the procedure that shows its output. A
 * task with a health check runs when the check has passed.
 */
export const awaitRunning = (
  engine: Pick<Engine, 'service'>,
  name: string,
  replicas: number,
  reader: string,
): Promise<void> =>
  until(
    async () => (await engine.service(name))?.running === replicas,
    `The service did not reach ${replicas} running task${replicas === 1 ? '' : 's'} within 60 s. ` +
      `${reader} shows its output.`,
  );

/** The engine takes a task off its count when it asks it to stop; it answers requests until it has. */
export const awaitEnded = (engine: Pick<Engine, 'tasks'>, name: string, reader: string): Promise<void> =>
  until(
    async () => !(await engine.tasks(name)).some(({ state }) => state === 'running' || state === 'starting'),
    `The service was asked to stop, and did not end within 60 s. ${reader} shows its output.`,
  );

/**
 * After a removal that a crash cut short: the services are gone, their containers end a little later and hold
 * images and volumes until then.
 */
export async function awaitAbandoned(
  engine: Pick<Engine, 'services' | 'containers'>,
  owner: ServiceRef,
): Promise<void> {
  if ((await engine.services()).some(({ labels }) => isSameService(ownerOfLabels(labels), owner))) return;
  await until(
    async () => (await engine.containers(`${ownerLabels[owner.kind]}=${owner.serviceId}`)).length === 0,
    'Containers of the removed service did not end within 60 s. They end when their grace period is over.',
  );
}

export interface Removal {
  deleteVolumes: boolean;
  /** Volumes with the labels of a deleted service, which this one was given. */
  given?: readonly string[];
  limitMs?: number;
  /** Called when its services are removed and containers go on, so that its record has to stay. */
  stays?(reason: string): Promise<unknown>;
}

/**
 * Removes its services under any name, its images and, when asked, its volumes; gives the volumes that stay.
 */
export async function removeFromEngine(
  engine: Engine,
  owner: ServiceRef,
  { deleteVolumes, limitMs, stays, given = [] }: Removal,
): Promise<string[]> {
  const mine = `${ownerLabels[owner.kind]}=${owner.serviceId}`;
  // A former attempt may have removed the services, and not seen the end of their containers.
  const before = await engine.containers(mine);
  try {
    for (const { name } of await servicesOf(engine, owner))
      await engine.removeService(name, limitMs === undefined ? {} : { limitMs });
    if (before.length > 0) await awaitGone(engine, mine);
  } catch (error) {
    // Nothing of it may be made again as long as its record stays.
    if ((await servicesOf(engine, owner)).length === 0) await stays?.(sentenceOf(error));
    throw error;
  }
  for (const image of await engine.images(mine)) {
    // One whose name a former removal took while a container still had it has its id alone.
    for (const reference of image.tags.length > 0 ? image.tags : [image.id])
      await engine.removeImage(reference);
  }
  const volumes = await engine.volumes(mine);
  for (const volume of given)
    if (!volumes.includes(volume) && (await engine.hasVolume(volume))) volumes.push(volume);
  if (!deleteVolumes) return volumes;
  // The servers and programs of backups that were just ended use them a little longer.
  for (const volume of volumes) await removeWhenFree(engine, volume);
  return [];
}

const servicesOf = async (engine: Pick<Engine, 'services'>, owner: ServiceRef): Promise<ServiceState[]> =>
  (await engine.services()).filter(({ labels }) => isSameService(ownerOfLabels(labels), owner));

/** Its volumes are in use until then, its quota is taken, and its networks stay. */
const awaitGone = (engine: Pick<Engine, 'containers'>, mine: string): Promise<void> =>
  until(
    async () => (await engine.containers(mine)).every(({ state }) => state !== 'running'),
    'Containers of the service did not end within 60 s, so it is not deleted yet. Berth ends them ' +
      'at the latest 10 minutes after they were told to stop; delete it again then.',
  );

async function until(isSo: () => Promise<boolean>, otherwise: string): Promise<void> {
  if (!(await waitUntilSo(isSo, { everyMs: pollMs, limitMs: waitLimitMs })))
    throw new AppError('SERVICE_UNAVAILABLE', otherwise);
}
