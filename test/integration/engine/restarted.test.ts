/**
 * A restart of the engine: swarm starts nothing again that ended with 0 when its engine asked it to, so the
 * reconciler does, and leaves alone what had done its work before.
 */
import { expect, test } from 'vitest';
import type { ServiceSpec } from '../../../server/src/ports/engine/engine.ts';
import { composeRef } from '../../../server/src/domain/names/service-ref.ts';
import { reconcileServices } from '../../../server/src/reconcile/services.ts';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import { stepService, uniqueName, until, untilRunning } from '../../engine-suite/fixture.ts';
import type { Step } from '../../engine-suite/steps.ts';
import { bedEngine } from './engine-fixture.ts';

test('what ran until its engine was restarted runs again, and a job that was done does not', async () => {
  const { engine } = bedEngine();
  const composeId = uniqueName('compose');
  const service = (what: string, steps: readonly Step[]): ServiceSpec =>
    stepService(uniqueName(what), steps, {
      restart: 'on-failure',
      labels: { 'berth.test': 'true', 'berth.compose': composeId },
    });
  const server = service('server', [{ do: 'listen', port: 3000 }]);
  const job = service('job', [{ do: 'exit', code: 0 }]);
  await engine.applyService(server);
  await engine.applyService(job);
  await untilRunning(engine, server.name);
  const ends = async (name: string): Promise<string[]> =>
    (await engine.tasks(name)).map(({ state }) => state).filter((state) => state === 'complete');
  await until('the job is done', async () => (await ends(job.name)).length === 1);
  const [done] = await engine.tasks(job.name);
  const end = await engine.containerEnd(done?.containerId ?? '');
  expect(end).toMatchObject({ exitCode: 0 });
  expect(Date.parse(done?.stateAt ?? '') - Date.parse(end?.finishedAt ?? '')).toBeLessThan(1_000);

  const machine = await (await bedOfRun()).find('m1');
  await machine.engine.stop();
  await machine.engine.start();
  const reconcile = (): Promise<string[]> => {
    const kept = { ...composeRef(composeId), environmentId: 'e', appName: 'a', releasedAppName: 'a' };
    const live = { ...kept, liveDeploymentId: 'd', isStopped: false };
    return reconcileServices({
      engine,
      services: [live],
      known: new Set([`compose:${composeId}`]),
      standsElsewhere: async () => false,
      kinds: new Set(),
      busy: new Set(),
      liveSpecs: async () => [server, job],
      ensureNetworks: async () => undefined,
      settled: async () => live,
      takeIfFree: async (_id, work) => work(),
      unknown: {
        serverKey: 'local',
        things: {
          unknown: async () => [],
          keepUnknown: async () => false,
          forgetUnknown: async () => undefined,
        },
        isRestored: false,
        hostSince: undefined,
        now: Date.now,
      },
      instance: undefined,
    });
  };
  await until(
    'the server runs again',
    async () => {
      await reconcile().catch(() => undefined);
      return (await engine.service(server.name))?.running === 1;
    },
    90_000,
  );
  expect(await reconcile()).toEqual([]);
  for (const { name } of [server, job]) await engine.removeService(name);
}, 240_000);
