/** A deployment that a run of something else needs, from its begin to its end. */
import type { ServiceRef } from '../domain/names/service-ref.ts';
import type { Accepting, Deployments } from '../modules/deployment/deployment.ts';
import type { Queue } from '../ports/queue.ts';

const pollMs = 250;

/** Gives the reason of a failure. */
export async function deployAndWait(
  { deployments, queue }: { deployments: Pick<Deployments, 'accept' | 'one'>; queue: Pick<Queue, 'wake'> },
  { kind, serviceId, organizationId }: ServiceRef & { organizationId: string },
  accepting: Accepting,
  { signal, say }: { signal: AbortSignal; say(line: string): void },
): Promise<string | undefined> {
  const { deploymentId } = await deployments.accept({ kind, serviceId }, accepting);
  queue.wake();
  say(`The ${kind} is switching over; deployment ${deploymentId} has the log.`);
  for (;;) {
    signal.throwIfAborted();
    const { status, errorMessage } = await deployments.one(deploymentId, organizationId);
    if (status === 'done') return undefined;
    if (status === 'error' || status === 'cancelled') return errorMessage ?? status;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
