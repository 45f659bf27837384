/** A deployment that another run starts and waits for, such as a restore. */
import type { ServiceRef } from '../domain/names/service-ref.ts';
import type { Accepting, Deployments } from '../modules/deployment/deployment.ts';
import type { Queue } from '../ports/queue.ts';
import { waitUntil } from '../ports/wait-until.ts';

const pollMs = 250;

/** Resolves with the reason of a failure; undefined when the deployment succeeded. */
export async function deployAndWait(
  { deployments, queue }: { deployments: Pick<Deployments, 'accept' | 'one'>; queue: Pick<Queue, 'wake'> },
  { kind, serviceId, organizationId }: ServiceRef & { organizationId: string },
  accepting: Accepting,
  { signal, say }: { signal: AbortSignal; say(line: string): void },
): Promise<string | undefined> {
  const { deploymentId } = await deployments.accept({ kind, serviceId }, accepting);
  queue.wake();
  say(`The ${kind} is switching over; deployment ${deploymentId} has the log.`);
  const ended = await waitUntil(
    async () => {
      const one = await deployments.one(deploymentId, organizationId);
      return ['done', 'error', 'cancelled'].includes(one.status) ? one : undefined;
    },
    { everyMs: pollMs, signal },
  );
  return ended.status === 'done' ? undefined : (ended.errorMessage ?? ended.status);
}
