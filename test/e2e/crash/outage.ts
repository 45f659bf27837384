/** The engine away, the proxy killed, a service taken away by somebody else's hand. */
import { describe, expect, it } from 'vitest';
import { dockerOf } from '../../bed/docker.ts';
import type { BerthHost } from '../fixtures/berth-host.ts';
import type { Gate } from '../hostile/gate.ts';
import type { InOrder } from '../fixtures/in-order.ts';
import type { Repository } from '../fixtures/repository.ts';
import { tinyFiles } from '../fixtures/sources.ts';
import {
  deploymentEnded,
  docker,
  applicationFixture,
  output,
  until,
  type App,
} from '../fixtures/applications.ts';

export interface OutagePlace {
  gate: Gate;
  berth: BerthHost;
}

interface Scene extends OutagePlace {
  /** Stands with nothing under way. */
  standing: App & { repository: Repository };
  /** Its builds wait at the gate `outage-build` while that is shut. */
  building: App & { repository: Repository };
  /** Its new versions listen only when the gate `outage-boot` is open. */
  booting: App & { repository: Repository };
}

/** Without `restart` both may end; what runs when its deployment is done is a server from then on. */
const obedient = "process.on('SIGTERM', () => process.exit(0)); setInterval(() => undefined, 1000)";
const stackFile = `
services:
  worker: {image: "berth/node:24", command: [node, -e, ${JSON.stringify(obedient)}]}
  job: {image: "berth/node:24", command: [node, -e, "console.log('done once')"]}
`;

/** What needs the engine and is done while the caller waits. */
const needsEngine: [procedure: string, input: Record<string, unknown>][] = [
  ['application.stop', {}],
  ['application.start', {}],
  ['application.reload', { appName: 'standing' }],
  ['application.scale', { replicas: 1 }],
  ['application.restart', {}],
  ['application.run', { command: ['true'] }],
  ['application.readLogs', {}],
  ['application.delete', {}],
];

export function outageTests(place: () => OutagePlace, next: InOrder): void {
  let scene: Scene;

  describe.concurrent('an outage', () => {
    it(
      'of the engine: what was under way ends with its reason or goes on, what is asked meanwhile is ' +
        'refused clearly',
      next(async () => {
        scene = await setScene(place());
        const { gate, berth, standing, building, booting } = scene;
        gate.shut('outage-build');
        gate.shut('outage-boot');
        const [built, booted] = await Promise.all([building.begin(), booting.begin()]);
        await until(
          'both are held',
          async () => gate.waiting('outage-build') > 0 && gate.waiting('outage-boot') > 0,
        );
        await berth.host.engine.stop();
        const cut = await building.ended(built);
        expect(cut).toMatchObject({
          status: 'error',
          stage: 'build',
          errorMessage:
            'The container engine ended the build; it was stopped or restarted meanwhile. Deploy again ' +
            'when it runs.',
        });
        const refused = await standing.ended(await standing.begin());
        expect(refused).toMatchObject({
          status: 'error',
          errorMessage:
            'The container engine does not answer, so nothing can be built; start it and deploy again.',
        });
        await expectRefusals(scene);

        gate.open('outage-build');
        gate.open('outage-boot');
        const began = Date.now();
        await berth.host.engine.start();
        await expectAllBack(
          scene,
          `the engine answered again ${Date.now() - began} ms after its start; all addresses`,
        );
        const { status, errorMessage } = await booting.ended(booted);
        console.log(`the release that waited for health ended ${status}: ${errorMessage}`);
        expect(`${status} ${errorMessage}`).toMatch(/^(done null|error \w.*\.)$/);
        const expected = status === 'done' ? 'v2' : 'v1';
        expect((await booting.answer()).body).toBe(expected);
        expect((await standing.deploy()).status).toBe('done');
        expect((await standing.answer()).body).toBe('v2');
        await until('the worker of the compose service runs again', async () =>
          (await tasksOf(berth, 'stack_worker')).some((state) => state === 'Running'),
        );
        // What was done when its deployment was is not begun again.
        expect((await dockerOf(berth.host).services()).join()).not.toContain('stack_job');
      }),
    );

    it(
      'of the proxy: its routes and networks come back without a hand',
      next(async () => {
        const { host } = scene.berth;
        const [id = ''] = await dockerOf(host).containersOf('berth-proxy');
        await output(host, docker, 'kill', id);
        await expectAllBack(scene, 'all addresses after the proxy was killed');
      }),
    );

    it(
      "by hand: a removed service and a changed one are put right, a stranger's is left alone",
      next(async () => {
        const { berth, standing, building } = scene;
        await berth.kill();
        await output(
          berth.host,
          docker,
          'service',
          'create',
          '--detach',
          '--quiet',
          '--name',
          'stranger',
          '--no-resolve-image',
          'berth/node:24',
          'sleep',
          '4242',
        );
        await output(berth.host, docker, 'service', 'rm', standing.appName);
        await output(berth.host, docker, 'service', 'scale', '--detach', `${building.appName}=3`);
        await until('it is gone', async () => (await standing.answer()).status === 503);
        await berth.start();
        await expectAllBack(scene, 'all addresses after the restart of Berth');
        await until(
          'the change is taken back',
          async () => (await dockerOf(berth.host).replicas(building.appName)) === 1,
        );
        const log = await berth.ownLog();
        expect(log).toContain('standing: the service was missing; created again from its live release');
        expect(log).toContain('building: had 3 replicas instead of 1; scaled it');
        expect(await dockerOf(berth.host).services()).toContain('stranger 1/1');
      }),
    );
  });
}

async function setScene({ gate, berth }: OutagePlace): Promise<Scene> {
  const shop = await applicationFixture(berth, { buildsConcurrency: 8 });
  const [standing, building, booting] = await Promise.all([
    shop.fromFiles('standing', tinyFiles('v1')),
    shop.fromFiles(
      'building',
      tinyFiles('v1', { steps: [`wget -q -O /dev/null ${gate.url('outage-build')}`] }),
    ),
    shop.fromFiles(
      'booting',
      tinyFiles('v1', {
        start: `wget -q -O /dev/null ${gate.url('outage-boot')}; exec httpd -f -p 3000 -h /www`,
      }),
      {
        settings: { healthCheck: { interval: 1, timeout: 2, retries: 2, startPeriod: 60 } },
      },
    ),
  ]);
  await deployStack(berth, shop.environmentId);
  const apps = [standing, building, booting];
  await Promise.all(apps.map((app) => app.deploy()));
  await Promise.all(apps.map((app) => app.repository.commit({ 'www/index.html': 'v2' })));
  return { gate, berth, standing, building, booting };
}

async function deployStack(berth: BerthHost, environmentId: string): Promise<void> {
  const named = { name: 'stack', appName: 'stack', environmentId };
  const { composeId } = await berth.call<{ composeId: string }>('compose.create', named);
  await berth.call('compose.update', { composeId, composeFile: stackFile });
  await berth.call('compose.deploy', { composeId });
  const [newest] = await berth.call<{ deploymentId: string }[]>('deployment.all', { composeId });
  const { status, errorMessage } = await deploymentEnded(berth, 'stack', newest?.deploymentId ?? '');
  expect([status, errorMessage]).toEqual(['done', null]);
  // A restart of the engine alone ends it.
  expect(await tasksOf(berth, 'stack_worker')).toEqual(['Running']);
}

/** States of the tasks of a service, the newest first. */
const tasksOf = async ({ host }: BerthHost, service: string): Promise<string[]> =>
  (await output(host, docker, 'service', 'ps', service, '--format', '{{.CurrentState}}'))
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '')
    .filter((state) => state !== '');

/** 503 with a sentence that names the engine, and nothing of the application is lost. */
async function expectRefusals({ berth, standing }: Scene): Promise<void> {
  const before = await standing.view();
  for (const [procedure, input] of needsEngine) {
    const { status, body } = await berth.ask(procedure, { applicationId: standing.id, ...input });
    expect([procedure, status, body]).toEqual([
      procedure,
      503,
      expect.objectContaining({
        code: 'SERVICE_UNAVAILABLE',
        message: expect.stringMatching(/^The container engine at .* cannot be reached/),
      }),
    ]);
  }
  const domain = await berth.ask('domain.create', { applicationId: standing.id, host: 'late.localhost' });
  expect(domain).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
  // What scale was asked for is kept, and counts as a change by somebody.
  expect(await standing.view()).toEqual({ ...before, revision: expect.any(Number) });
  expect((await fetch(`${berth.url}/api/health`, { signal: AbortSignal.timeout(5000) })).status).toBe(200);
}

async function expectAllBack({ standing, building, booting }: Scene, what: string): Promise<void> {
  const began = Date.now();
  for (const app of [standing, building, booting]) {
    await until(
      `${app.appName} answers again`,
      async () => (await app.answer().catch(() => ({ status: 0 }))).status === 200,
      120_000,
    );
  }
  console.log(`${what} after ${((Date.now() - began) / 1000).toFixed(1)} s`);
}
