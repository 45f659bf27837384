import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ServiceAnswer } from './answers.ts';
import { listContainers } from './containers.ts';
import type { EngineClient } from './engine-client.ts';
import { segment } from './engine-client.ts';
import { isAbsent } from './engine-error.ts';
import { removeUnusedFiles } from './files.ts';
import { requireManaged } from './labels.ts';
import { findService, listManaged } from './services.ts';
import { remainingTasks } from './tasks.ts';

const pollMs = 150;
const defaultLimitMs = 30_000;

/**
 * Removes a service of ours, waits until its containers are gone on every node, and removes files only it used. An absent service is no error.
 * Throws SERVICE_UNAVAILABLE when containers remain after `limitMs`: the service itself is removed then, and a node may be out of reach.
 */
export async function removeService(client: EngineClient, name: string, clock: Clock, limitMs = defaultLimitMs): Promise<void> {
  const service = await deleteService(client, name);
  if (service === undefined) return;
  await untilGone(client, { id: service.ID, name }, limitMs);
  if (service.Spec.TaskTemplate.ContainerSpec?.Configs?.length) await removeUnusedFiles(client, await listManaged(client, false), clock.now());
}

/** Removes a service of ours and gives what it was; its containers end a little later (on an overlay 4 s, measured: the engine waits for the word to spread). */
export async function deleteService(client: EngineClient, name: string): Promise<ServiceAnswer | undefined> {
  const service = await findService(client, name);
  if (service === undefined) return undefined;
  requireManaged(service.Spec.Labels, 'service', name);
  await client.send({ method: 'DELETE', path: `/services/${segment(service.ID)}`, doing: `removing the service ${name}` }).catch((error: unknown) => {
    if (!isAbsent(error)) throw error;
  });
  return service;
}

async function untilGone(client: EngineClient, service: { id: string; name: string }, limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  for (;;) {
    const [tasks, containers] = await Promise.all([remainingTasks(client, service), listContainers(client, `com.docker.swarm.service.id=${service.id}`)]);
    if (tasks.length === 0 && containers.length === 0) return;
    if (performance.now() > end) {
      throw new AppError('SERVICE_UNAVAILABLE', `The service ${service.name} is removed, but ${Math.max(tasks.length, containers.length)} of its containers did not stop within ${limitMs / 1000} s. They end when their grace period is over or their server is back.`);
    }
    await sleep(pollMs);
  }
}
