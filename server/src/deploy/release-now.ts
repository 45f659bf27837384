/**
 * Gives a running service another specification and waits until it is healthy. When it does not become
 * healthy, the engine rolls it back by itself.
 */
import { AppError } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Engine, ServiceSpec } from '../ports/engine/engine.ts';
import { watchRelease } from './release/release-watch.ts';

const limitMs = 60_000;

/**
 * Restarts the tasks when nothing differs. Throws PRECONDITION_FAILED with the reason when the new tasks do
 * not become healthy; the former ones keep running. A service that is not healthy after 60 s is rolled back
 * too, or left to come up and reported with SERVICE_UNAVAILABLE: a database may have to repair its data
 * first.
 */
export async function releaseNow(
  { engine, clock }: { engine: Engine; clock: Clock },
  spec: ServiceSpec,
  { whenLate = 'return' }: { whenLate?: 'return' | 'wait' } = {},
): Promise<void> {
  const present = await engine.service(spec.name);
  const isSame = present !== undefined && present.specDigest === engine.specDigest(spec);
  const applied = await engine.applyService(spec);
  // A change of replicas or ports alone starts no new tasks, but the caller wants a restart.
  const { generation } = isSame ? await engine.restartService(spec.name) : applied;
  const outcome = await watchRelease({
    engine,
    clock,
    serviceName: spec.name,
    generation,
    previousUpdateStartedAt: present?.update?.startedAt,
    expectedReplicas: spec.replicas,
    monitorMs: spec.monitorMs,
    limitMs,
    signal: new AbortController().signal,
    onEvent: () => undefined,
  });
  if (outcome.kind === 'completed' || outcome.kind === 'ended') return;
  const isLate = outcome.kind === 'failed' && outcome.isUndecided === true;
  if (isLate && whenLate === 'wait')
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `The service is being started with the current settings, and is not ready after ${limitMs / 1000} ` +
        `s. ${outcome.reason}`,
    );
  if (isLate && present !== undefined) await engine.rollbackService(spec.name);
  throw new AppError(
    'PRECONDITION_FAILED',
    'The service did not start with the current settings, and keeps running with the former ones: ' +
      `${outcome.reason}`,
  );
}
