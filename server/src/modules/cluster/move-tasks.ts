/** Moves the tasks of a node to the others, each service by an update of its own, without a gap. */
import { AppError } from '../../domain/errors.ts';
import type { Engine, RunningService } from '../../ports/engine/engine.ts';
import { isPlatform } from '../sight/sight.ts';
import { waitUntil } from '../../ports/wait-until.ts';

/** So long a service's new task has to become healthy on another node. */
const serviceLimitMs = 5 * 60_000;
const pauseMs = 500;

/**
 * The node must get no new tasks any more. Gives the services that still run there in the end: what is new of
 * them did not become healthy, or no other node may have it. Berth's own stay, each node has its own.
 */
export async function moveTasks(
  engine: Pick<Engine, 'servicesWithTasks' | 'serviceWithTasks' | 'restartService'>,
  nodeId: string,
  signal: AbortSignal,
): Promise<RunningService[]> {
  const there = (await engine.servicesWithTasks()).filter(
    (found) => runsOn(found, nodeId) && !isPlatform(found.service.labels),
  );
  const left: RunningService[] = [];
  // One after another: each takes the processor of the nodes that are left.
  for (const found of there) {
    signal.throwIfAborted();
    if (!(await moved(engine, found, { nodeId, signal }))) left.push(found);
  }
  return left;
}

const runsOn = ({ tasks }: Pick<RunningService, 'tasks'>, nodeId: string): boolean =>
  tasks.some((task) => task.nodeId === nodeId && task.desiredState === 'running' && task.state === 'running');

async function moved(
  engine: Pick<Engine, 'serviceWithTasks' | 'restartService'>,
  { service: { name } }: RunningService,
  { nodeId, signal }: { nodeId: string; signal: AbortSignal },
): Promise<boolean> {
  try {
    await engine.restartService(name);
  } catch (error) {
    // It was removed meanwhile.
    if (error instanceof AppError && error.code === 'NOT_FOUND') return true;
    throw error;
  }
  const moved = await waitUntil(
    async () => {
      const { service, tasks } = await engine.serviceWithTasks(name);
      if (!service) return true;
      const isEnded = service.update === undefined || service.update.state !== 'updating';
      return isEnded && service.update?.state !== 'rollback_started' ? !runsOn({ tasks }, nodeId) : undefined;
    },
    { everyMs: pauseMs, limitMs: serviceLimitMs, signal },
  );
  return moved ?? false;
}
