/** Releases the services in the order of their dependencies, and rolls all of them back when one fails. */
import { ownerLabels } from '../../domain/names/service-ref.ts';
import { AppError, sentenceOf } from '../../domain/errors.ts';
import type { Released, Stage } from '../context.ts';
import { watchRelease } from '../release/release-watch.ts';
import { watchedOf } from '../stages/await-healthy.ts';
import type { ComposeContext, ServiceRun } from './compose-context.ts';
import {
  keptServices,
  readComposeSnapshot,
  writeComposeSnapshot,
  type ComposeSnapshot,
} from './compose-snapshot.ts';
import { bringCarried } from './carried/bring-carried.ts';
import { startRun } from './service-run.ts';

export const releaseServices: Stage<ComposeContext> = {
  name: 'release',
  resume: 'release',
  holdsBuildSlot: false,
  sentence: () => 'Releasing the services',
  async run(context) {
    const snapshot = await begin(context);
    const live = await context.records.live(context.compose);
    await bringCarried(context, snapshot.services, live?.snapshot.services ?? []);
    const stop = new AbortController();
    const runContext = { ...context, signal: AbortSignal.any([context.signal, stop.signal]) };
    const runs = new Map<string, ServiceRun>();
    for (const release of snapshot.services) {
      runs.set(
        release.service,
        startRun(runContext, release, {
          runs,
          previous: snapshot.previous ?? {},
          hasEnded: snapshot.ended.includes(release.service),
          async ended() {
            if (snapshot.ended.includes(release.service)) return;
            // What ended by itself and well is done, as what runs once is.
            release.isOneShot = true;
            snapshot.ended.push(release.service);
            await context.save({ settings: writeComposeSnapshot(snapshot) });
          },
        }),
      );
    }
    context.runs = [...runs.values()];
    const failure = firstFailure(context.runs);
    try {
      await Promise.race([Promise.all(context.runs.map(({ applied }) => applied)), failure]);
    } catch (error) {
      stop.abort(error);
      await Promise.allSettled(context.runs.map(({ done }) => done));
      throw error;
    }
    context.stopRuns = (reason) => stop.abort(reason);
  },
  undo: rollBack,
};

export const awaitServices: Stage<ComposeContext> = {
  name: 'await-healthy',
  resume: 'release',
  holdsBuildSlot: false,
  sentence: () => 'Waiting until every service is healthy',
  async run(context) {
    const { runs, stopRuns } = context;
    if (!runs) throw new AppError('INTERNAL_SERVER_ERROR', 'Nothing was released.');
    try {
      const healthyAt = Math.max(...(await Promise.all(runs.map(({ done }) => done))));
      await context.save({ healthyAt: new Date(healthyAt).toISOString() });
    } catch (error) {
      stopRuns?.(error);
      await Promise.allSettled(runs.map(({ done }) => done));
      throw error;
    }
  },
};

/**
 * The versions before this release are stored only once, so that an attempt after a crash can tell which
 * services the engine has rolled back in the meantime.
 */
async function begin(context: ComposeContext): Promise<ComposeSnapshot> {
  const snapshot = readComposeSnapshot(context.deployment);
  if (!snapshot) throw new AppError('INTERNAL_SERVER_ERROR', 'There is nothing to release.');
  if (snapshot.previous) return snapshot;
  const present = new Map((await context.engine.services()).map(({ name, version }) => [name, version]));
  snapshot.previous = Object.fromEntries(
    snapshot.services.map(({ spec }) => [spec.name, present.get(spec.name) ?? 0]),
  );
  await context.save({ settings: writeComposeSnapshot(snapshot) });
  return snapshot;
}

function firstFailure(runs: readonly ServiceRun[]): Promise<never> {
  const failure = Promise.withResolvers<never>();
  for (const { done } of runs) done.catch(failure.reject);
  failure.promise.catch(() => undefined);
  return failure.promise;
}

/** Restores every service of the live release, and removes those that only the failed release has. */
async function rollBack(context: ComposeContext): Promise<void> {
  const { compose, deployment, engine, log, records } = context;
  const failed = readComposeSnapshot(deployment);
  if (!failed?.previous) return;
  const live = await records.live(compose);
  const former = new Map((live ? keptServices(live.snapshot) : []).map(({ spec }) => [spec.name, spec]));
  const present = (await engine.services()).filter(
    ({ labels }) => labels[ownerLabels.compose] === compose.composeId,
  );
  for (const { name } of present) {
    if (former.has(name) || !failed.services.some(({ spec }) => spec.name === name)) continue;
    if (live)
      await engine.removeService(name).catch((error: unknown) => log.line(`${name}: ${sentenceOf(error)}`));
    else await engine.scaleService(name, 0);
  }
  const putBack: Released[] = [];
  if (live && failed.services.some(({ carried }) => carried !== undefined))
    await bringCarried(context, live.snapshot.services, []).catch((error: unknown) =>
      log.line(`Files of the repository: ${sentenceOf(error)}`),
    );
  for (const [name, spec] of former) {
    const replicas = compose.isStopped ? 0 : spec.replicas;
    const there = present.find((service) => service.name === name);
    if (there?.specDigest === engine.specDigest(spec) && there.replicas === replicas) continue;
    const applied = await engine.applyService({
      ...spec,
      replicas,
      registryAuth: await records.registryAuth(spec.image, compose.organizationId),
    });
    log.line(`${name}: rolled back to the previous version.`);
    const previousUpdateStartedAt = there?.update?.startedAt;
    if (replicas > 0) putBack.push({ spec, applied, previousUpdateStartedAt, former: 'running' });
  }
  await Promise.all(putBack.map((released) => untilBack(context, released)));
  if (!live) log.line('There is no former version to return to; its services were scaled to 0.');
}

/**
 * Other services find this one by its name only while it is healthy, so the rollback is complete only then.
 * After a cancellation nobody waits for that.
 */
async function untilBack({ engine, clock, signal, log }: ComposeContext, released: Released): Promise<void> {
  if (signal.aborted) return;
  const { name } = released.spec;
  const healthy = new AbortController();
  try {
    const outcome = await watchRelease({
      ...watchedOf(released),
      engine,
      clock,
      signal: AbortSignal.any([signal, healthy.signal]),
      onEvent: ({ kind }) => {
        if (kind === 'healthy') healthy.abort();
      },
    });
    if (outcome.kind === 'failed' || outcome.kind === 'rolled-back') log.line(`${name}: ${outcome.reason}`);
  } catch (error) {
    if (!healthy.signal.aborted) log.line(`${name}: ${sentenceOf(error)}`);
  }
}
