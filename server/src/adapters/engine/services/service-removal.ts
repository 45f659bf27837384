import { AppError } from '../../../domain/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ServiceAnswer } from './answers.ts';
import type { ContainerState } from '../../../ports/engine/engine.ts';
import { listContainers, removeContainer } from '../containers.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { segment } from '../client/engine-client.ts';
import { isAbsent } from '../client/engine-error.ts';
import { removeUnusedFiles } from '../files.ts';
import { requireOwn } from './ownership.ts';
import { nanosecondsPerMs } from './service-spec.ts';
import { findService, listManaged } from './services.ts';
import { remainingTasks } from './tasks.ts';
import { waitUntilSo } from '../../../ports/wait-until.ts';

const pollMs = 150;
const defaultLimitMs = 30_000;
/** The engine's own (engine API, "ContainerSpec"). */
const defaultGraceMs = 10_000;

export interface RemovalOptions {
  limitMs?: number;
  drains?: boolean;
}

/**
 * Removes a service of ours, waits until its containers are gone on every node, and removes files only it
 * used. An absent service is no error. Those of this node are ended at once, unless the service `drains`.
 * Throws SERVICE_UNAVAILABLE when containers remain after `limitMs`: the service itself is removed then, and
 * a node may be out of reach.
 */
export async function removeService(
  client: EngineClient,
  name: string,
  clock: Clock,
  { limitMs = defaultLimitMs, drains = false }: RemovalOptions = {},
): Promise<void> {
  const end = performance.now() + limitMs;
  const service = await deleteService(client, name);
  if (service === undefined) return;
  const ended = drains ? new Set<string>() : await endContainers(client, service, limitMs);
  await untilGone(client, { id: service.ID, name }, { ended, end, limitMs });
  if (service.Spec.TaskTemplate.ContainerSpec?.Configs?.length)
    await removeUnusedFiles(client, await listManaged(client, false), clock.now());
}

/**
 * Removes a service of ours and gives what it was; its containers end a little later (on an overlay 4 s,
 * measured: the engine waits for the word to spread).
 */
export async function deleteService(client: EngineClient, name: string): Promise<ServiceAnswer | undefined> {
  const service = await findService(client, name);
  if (service === undefined) return undefined;
  requireOwn(client, service.Spec.Labels, 'service', name);
  await client
    .send({
      method: 'DELETE',
      path: `/services/${segment(service.ID)}`,
      doing: `removing the service ${name}`,
    })
    .catch((error: unknown) => {
      if (!isAbsent(error)) throw error;
    });
  return service;
}

/**
 * Stops and removes this node's containers of a removed service and gives their ids. The engine by itself
 * lets the word of it spread first, that nobody is sent there any more, and waits again before it removes
 * them: 6 s in all (measured on 20.10).
 */
async function endContainers(
  client: EngineClient,
  { ID, Spec }: ServiceAnswer,
  limitMs: number,
): Promise<ReadonlySet<string>> {
  const grace = Spec.TaskTemplate.ContainerSpec?.StopGracePeriod;
  const t = Math.ceil((grace == null ? defaultGraceMs : grace / nanosecondsPerMs) / 1000);
  const containers = await containersOf(client, ID);
  await Promise.all(
    containers.map(async ({ id }) => {
      try {
        await client.send({
          method: 'POST',
          path: `/containers/${segment(id)}/stop`,
          query: { t },
          limitMs,
          doing: 'stopping a container',
        });
        await removeContainer(client, id);
      } catch {
        // The engine ends it too, and may have removed it meanwhile; whether it is gone is seen below.
      }
    }),
  );
  return new Set(containers.map(({ id }) => id));
}

const containersOf = (client: EngineClient, serviceId: string): Promise<ContainerState[]> =>
  listContainers(client, `com.docker.swarm.service.id=${serviceId}`);

async function untilGone(
  client: EngineClient,
  service: { id: string; name: string },
  { ended, end, limitMs }: { ended: ReadonlySet<string>; end: number; limitMs: number },
): Promise<void> {
  let present = 0;
  const isGone = async (): Promise<boolean> => {
    const [tasks, containers] = await Promise.all([
      remainingTasks(client, service),
      containersOf(client, service.id),
    ]);
    // The engine forgets a task up to 4 s after its container is gone.
    const left = tasks.filter(({ containerId }) => containerId === undefined || !ended.has(containerId));
    present = Math.max(left.length, containers.length);
    return present === 0;
  };
  if (await waitUntilSo(isGone, { everyMs: pollMs, limitMs: end - performance.now() })) return;
  throw new AppError(
    'SERVICE_UNAVAILABLE',
    `The service ${service.name} is removed, but ${present} of its containers did not stop within ` +
      `${limitMs / 1000} s. They end when their grace period is over or their server is back.`,
  );
}
