/** Waits until the engine says that the new version is healthy and stays so; the truth about a failure goes into the log. */
import { AppError } from '../../domain/errors.ts';
import type { Released, Stage, StageContext } from '../context.ts';
import { watchRelease } from '../release-watch.ts';

const stepMs = 60_000;
const lastLines = 40;

export const awaitHealthy: Stage<StageContext> = {
  name: 'await-healthy',
  sentence: () => 'Waiting until the new version is healthy',
  async run(context) {
    const { released, engine, clock, signal, log } = context;
    if (!released) throw new AppError('INTERNAL_SERVER_ERROR', 'Nothing was released.');
    const outcome = await watchRelease({
      engine, clock, signal, serviceName: released.spec.name, generation: released.applied.generation, previousUpdateStartedAt: released.previousUpdateStartedAt,
      expectedReplicas: released.spec.replicas, monitorMs: released.spec.monitorMs, limitMs: limitOf(released),
      onEvent: (event) => {
        if (event.kind === 'healthy') log.line('Healthy; the engine watches it a little longer.');
        if (event.kind === 'rolling-back') log.line(`The engine goes back to the former version: ${event.reason}`);
        if (event.kind === 'healthy') void context.save({ healthyAt: new Date(event.at).toISOString() });
      },
    });
    if (outcome.kind === 'completed') {
      released.healthyAt = outcome.healthyAt;
      return;
    }
    await logLastLines(context, outcome.taskId);
    await context.save({ healthyAt: null });
    if (outcome.kind === 'rolled-back') throw new AppError('PRECONDITION_FAILED', `${outcome.reason} The former version runs on.`);
    await withdraw(context, released, outcome.isTimeout === true);
    throw new AppError('PRECONDITION_FAILED', outcome.reason);
  },
};

/** Time for the check's start period, its retries, the monitor and each replica, and as much again for slow engines. */
function limitOf({ spec }: Released): number {
  const check = spec.healthCheck;
  const untilVerdict = check ? check.startPeriodMs + (check.retries + 1) * (check.intervalMs + check.timeoutMs) : stepMs;
  return (untilVerdict + spec.monitorMs + spec.stopGracePeriodMs + stepMs) * Math.max(1, spec.replicas);
}

/** A first release has nothing to go back to: no task of it stays, its log does. A stuck update goes back by our hand. */
async function withdraw({ engine, log }: StageContext, { spec, isFirst }: Released, isTimeout: boolean): Promise<void> {
  if (isFirst) {
    await engine.scaleService(spec.name, 0);
    log.line('There is no former version to return to; the service was scaled to 0.');
  } else if (isTimeout) {
    await engine.rollbackService(spec.name);
    log.line('The update neither finished nor failed in time; returning to the former version.');
  }
}

async function logLastLines({ engine, log, released }: StageContext, taskId: string | undefined): Promise<void> {
  if (!released) return;
  try {
    const lines = [];
    for await (const line of engine.serviceLogs(released.spec.name, { tail: 500, follow: false })) {
      if (taskId === undefined || line.taskId === taskId) lines.push(line);
    }
    if (lines.length === 0) return;
    log.line('Last lines of the failed version:');
    for (const { text } of lines.slice(-lastLines)) log.line(`  ${text}`);
  } catch (error) {
    log.line(`The failed version's own log could not be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
