/**
 * Waits until the engine reports the new version as healthy for long enough; the log gets the real reason of
 * a failure.
 */
import { AppError } from '../../domain/errors.ts';
import type { Released, Stage, StageContext } from '../context.ts';
import { defaultStartPeriodMs } from '../release/health-check.ts';
import { watchRelease } from '../release/release-watch.ts';

const stepMs = 60_000;
const lastLines = 40;

export const awaitHealthy: Stage<StageContext> = {
  name: 'await-healthy',
  resume: 'release',
  holdsBuildSlot: false,
  sentence: () => 'Waiting until the new version is healthy',
  async run(context) {
    const { released } = context;
    if (!released) throw new AppError('INTERNAL_SERVER_ERROR', 'Nothing was released.');
    try {
      const { at: healthyAt } = await awaitRelease(
        context,
        released,
        (at) => void context.save({ healthyAt: new Date(at).toISOString() }),
      );
      await context.save({ healthyAt: new Date(healthyAt).toISOString() });
    } catch (error) {
      if (!context.signal.aborted) await context.save({ healthyAt: null });
      throw error;
    }
  },
};

type WatchContext = Pick<StageContext, 'engine' | 'clock' | 'signal' | 'log'>;

/** How a release came to hold, and when (ms since the epoch): it is healthy, or has ended with 0. */
export interface ReleaseHeld {
  kind: 'healthy' | 'ended';
  at: number;
}

/**
 * Waits for one service until its release holds. Throws the reason when it does not; by then the former
 * version runs again, or no version at all.
 */
export async function awaitRelease(
  context: WatchContext,
  released: Released,
  onHealthy: (at: number) => void,
): Promise<ReleaseHeld> {
  const { engine, clock, signal, log } = context;
  const outcome = await watchRelease({
    ...watchedOf(released),
    engine,
    clock,
    signal,
    onEvent: (event) => {
      if (event.kind === 'healthy')
        log.line(
          `Its health check passes; it counts as healthy when it still does ${seconds(released)} later.`,
        );
      if (event.kind === 'check') log.line(`Not healthy yet: ${event.words}.`);
      if (event.kind === 'rolling-back')
        log.line(`The engine is going back to the former version: ${event.reason}`);
      if (event.kind === 'healthy') onHealthy(event.at);
    },
  });
  if (outcome.kind === 'completed') {
    log.line('Healthy.');
    return { kind: 'healthy', at: outcome.healthyAt };
  }
  if (outcome.kind === 'ended') return { kind: 'ended', at: clock.now() };
  await logLastLines(context, released, outcome.taskId);
  if (outcome.kind === 'rolled-back')
    throw new AppError('PRECONDITION_FAILED', `${outcome.reason} The former version keeps running.`);
  await withdraw(context, released, outcome.isUndecided === true);
  throw new AppError(
    'PRECONDITION_FAILED',
    outcome.isUndecided === true && released.former === 'running'
      ? `${outcome.reason} The former version keeps running.`
      : outcome.reason,
  );
}

const seconds = ({ spec }: Released): string =>
  `${(spec.monitorMs / 1000).toFixed(spec.monitorMs % 1000 && 1)} s`;

/** The part of a release that a watch needs. */
export const watchedOf = (released: Released) => ({
  serviceName: released.spec.name,
  generation: released.applied.generation,
  previousUpdateStartedAt: released.previousUpdateStartedAt,
  expectedReplicas: released.spec.replicas,
  monitorMs: released.spec.monitorMs,
  limitMs: limitOf(released),
  mayEnd: released.spec.restart === 'on-failure',
  // A start period that somebody chose is waited for.
  failsElsewhere: released.spec.healthCheck?.startPeriodMs === defaultStartPeriodMs,
});

/**
 * For each replica the start period and retries of the check, the monitor and the stop grace period, and time
 * for slow engines.
 */
function limitOf({ spec }: Released): number {
  const check = spec.healthCheck;
  const untilVerdict = check
    ? check.startPeriodMs + (check.retries + 1) * (check.intervalMs + check.timeoutMs)
    : stepMs;
  return (untilVerdict + spec.monitorMs + spec.stopGracePeriodMs + stepMs) * Math.max(1, spec.replicas);
}

const withdrawn = {
  none: 'There is no former version to return to; the service was scaled to 0.',
  stopped: 'The service was stopped before this deployment, and is stopped again.',
  gone: 'The service was scaled to 0; Berth recreates the former version.',
} as const;

/**
 * A first release has no former version to restore: its tasks are removed and its log stays. An update that
 * is stuck is rolled back here, since the engine does not do that.
 */
async function withdraw(
  { engine, log }: WatchContext,
  { spec, former }: Released,
  isUndecided: boolean,
): Promise<void> {
  if (former !== 'running') {
    await engine.scaleService(spec.name, 0);
    log.line(withdrawn[former]);
  } else if (isUndecided) {
    await engine.rollbackService(spec.name);
    log.line('Returning to the former version.');
  }
}

async function logLastLines(
  { engine, log }: WatchContext,
  released: Released,
  taskId: string | undefined,
): Promise<void> {
  try {
    const lines = [];
    for await (const line of engine.serviceLogs(released.spec.name, { tail: 500, follow: false })) {
      if (taskId === undefined || line.taskId === taskId) lines.push(line);
    }
    if (lines.length === 0) return;
    log.line('Last lines of the failed version:');
    for (const { text } of lines.slice(-lastLines)) log.line(`  ${text}`);
  } catch (error) {
    log.line(
      `The failed version's own log could not be read: ` +
        `${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
