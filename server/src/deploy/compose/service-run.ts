/**
 * One service of a compose file during a release: it waits for the services that it depends on, is applied,
 * and becomes healthy or ends.
 */
import { composeServiceLabel, releaseLabel } from '../../domain/names/labels.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import { composeServiceName } from '../../domain/names/names.ts';
import { ownerLabels, composeRef } from '../../domain/names/service-ref.ts';
import { type ServiceSpec, type ServiceState, type TaskResult } from '../../ports/engine/engine.ts';
import { applyService } from '../release/apply-release.ts';
import { awaitRelease } from '../stages/await-healthy.ts';
import type { ComposeContext, ServiceRun } from './compose-context.ts';
import type { ComposeRelease } from './compose-snapshot.ts';

export interface RunOptions {
  /** All services of the release, by their names in the file. */
  runs: ReadonlyMap<string, ServiceRun>;
  previous: Readonly<Record<string, number>>;
  hasEnded: boolean;
  /** Stores that the service has run once and ended. */
  ended(): Promise<void>;
}

const oneShotLimitMs = 30 * 60_000;
/**
 * Other services find this one by its name only when it is healthy (measured), so `service_started` waits for
 * that as well. The limit keeps two services that need each other from waiting for ever.
 */
const startedLimitMs = 30_000;

type RunContext = Pick<
  ComposeContext,
  'engine' | 'clock' | 'signal' | 'log' | 'compose' | 'deployment' | 'records' | 'taskLabels'
>;

export function startRun(context: RunContext, release: ComposeRelease, options: RunOptions): ServiceRun {
  const { service } = release;
  const healthy = Promise.withResolvers<void>();
  const own: RunContext = {
    ...context,
    log: { ...context.log, line: (text) => context.log.line(`${service}: ${text}`) },
  };
  const applied = named(service, context.signal, async () => {
    await awaitOthers(release, options.runs);
    context.signal.throwIfAborted();
    return release.isOneShot ? undefined : apply(own, release, options);
  });
  const done = named(service, context.signal, async () => {
    const released = await applied;
    if (released) {
      const held = await awaitRelease(own, released, () => healthy.resolve());
      if (held.kind === 'ended') {
        await logOutput(own, release);
        await options.ended();
      }
      return held.at;
    }
    if (!options.hasEnded) await runToEnd(own, release);
    await options.ended();
    return context.clock.now();
  });
  done.then(() => healthy.resolve(), healthy.reject);
  const isLate = applied.then(() => sleep(startedLimitMs, undefined, { signal: context.signal, ref: false }));
  const run = {
    service,
    applied: applied.then(() => undefined),
    started: Promise.race([healthy.promise, isLate]),
    healthy: healthy.promise,
    done,
  };
  // A failure is handled by whoever awaits the promise; until then it must not count as unhandled.
  for (const promise of [run.applied, isLate, run.started, run.healthy, run.done])
    promise.catch(() => undefined);
  return run;
}

/** Waits for the condition of each dependency; the failure of one fails this service too. */
async function awaitOthers({ dependsOn }: ComposeRelease, runs: RunOptions['runs']): Promise<void> {
  await Promise.all(
    dependsOn.map(async ({ service, condition }) => {
      const other = runs.get(service);
      await (condition === 'completed'
        ? other?.done
        : condition === 'healthy'
          ? other?.healthy
          : other?.started);
    }),
  );
}

/** Puts the name of the service before a refusal that does not name it yet. */
async function named<T>(service: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError) || error.message.startsWith('Service ')) throw error;
    throw new AppError(error.code, `Service ${service}: ${error.message}`, { cause: error });
  }
}

async function apply(
  context: RunContext,
  { spec: plain, service }: ComposeRelease,
  { previous }: RunOptions,
) {
  const { compose, engine, log, records } = context;
  const spec = { ...plain, registryAuth: await records.registryAuth(plain.image, compose.organizationId) };
  const present = await engine.service(spec.name);
  const isUnchanged = spec.release !== context.deployment.deploymentId;
  const isThere = present?.specDigest === engine.specDigest(spec) && present.replicas === spec.replicas;
  if (isThere && isUnchanged) log.line('Nothing changes for it; it keeps running.');
  else log.line(`Releasing ${spec.image}`);
  const released = await applyService(
    { engine, log: isThere ? { ...log, line: () => undefined } : log },
    {
      spec,
      owner: composeRef(compose.composeId),
      hasFormer: compose.liveDeploymentId !== null,
      isUnchanged,
      previousVersion: previous[spec.name] ?? null,
      async prepare(before) {
        if (spec.updateOrder === 'stop-first') await makeRoom(context, spec, service);
        return before;
      },
    },
  );
  // The engine has this release, but the service was stopped since.
  if (
    !isThere &&
    present &&
    present.labels[releaseLabel] === spec.release &&
    present.replicas !== spec.replicas
  )
    await engine.scaleService(spec.name, spec.replicas);
  // A deployment starts what has ended since, as `docker compose up` does.
  if (isThere && isUnchanged && spec.restart !== undefined && present.running === 0 && spec.replicas > 0) {
    log.line('It has ended since; running it again.');
    return { ...released, applied: await engine.restartService(spec.name) };
  }
  return released;
}

/** Removes the service under its former name, when the two cannot run side by side. */
async function makeRoom(
  { compose, engine, log }: RunContext,
  spec: ServiceSpec,
  service: string,
): Promise<void> {
  const isFormer = ({ name, labels }: ServiceState): boolean =>
    name !== spec.name &&
    labels[ownerLabels.compose] === compose.composeId &&
    labels[composeServiceLabel] === service;
  for (const { name } of (await engine.services()).filter(isFormer)) {
    await engine.removeService(name, { limitMs: spec.stopGracePeriodMs + 30_000 });
    log.line(`Removed the service under its former name ${name}.`);
  }
}

const outputLines = 500;

/** Puts the output of a service that has ended well into the log; its tasks go with the engine's service. */
async function logOutput({ engine, log, signal }: RunContext, { spec }: ComposeRelease): Promise<void> {
  const lines = await Array.fromAsync(engine.serviceLogs(spec.name, { tail: outputLines, signal }));
  for (const { text } of lines) log.line(`  ${text}`);
  log.line('Ended with 0, so it is done: the file does not say that it is restarted.');
}

/** Pause before a service that runs once is tried again. */
const againMs = 1000;

/**
 * Runs the service once; it must end with 0, at the latest at the last retry of `restart: on-failure`. Its
 * output goes into the deployment's log.
 */
async function runToEnd(context: RunContext, release: ComposeRelease): Promise<void> {
  const { log, signal } = context;
  const { retries = 0 } = release;
  for (let failures = 1; ; failures += 1) {
    const { exitCode, error } = await runOnce(context, release);
    if (exitCode === 0) return log.line('Ended with 0.');
    const how = `It ended with exit code ${exitCode ?? 'unknown'}${error ? ` (${error})` : ''}`;
    if (failures > retries)
      throw new AppError(
        'PRECONDITION_FAILED',
        `${how}${retries > 0 ? ` after ${retries} retries` : ''}, but must end with 0; its last lines are ` +
          'in the log.',
      );
    log.line(`${how}; running it again (${failures} of ${retries}), as restart: on-failure says.`);
    await sleep(againMs, undefined, { signal });
  }
}

async function runOnce(
  { compose, deployment, engine, log, records, signal, taskLabels }: RunContext,
  { spec: plain, service }: ComposeRelease,
): Promise<TaskResult> {
  const name = composeServiceName(compose.appName, service, `once-${deployment.deploymentId.slice(0, 12)}`);
  if (await engine.service(name)) {
    await engine.removeService(name);
    log.line('Ended the one that was running when Berth was restarted.');
  }
  log.line('Running it to completion');
  const spec = {
    ...plain,
    name,
    labels: { ...plain.labels, ...taskLabels },
    ports: [],
    replicas: 1,
    registryAuth: await records.registryAuth(plain.image, compose.organizationId),
  };
  return engine.runTask(spec, {
    signal,
    limitMs: oneShotLimitMs,
    onLine: ({ text }) => log.line(`  ${text}`),
  });
}
