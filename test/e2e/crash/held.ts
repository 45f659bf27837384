/** kill -9 of Berth while deployments are held in their stages. */
import { readdir, readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Bed } from '../../bed/bed.ts';
import { dockerOf } from '../../bed/docker.ts';
import { processesOf } from '../../bed/machine/processes.ts';
import { nodePath, project, type BerthHost } from '../fixtures/berth-host.ts';
import { databasePath, runs, storedDeployment, type StoredDeployment } from '../fixtures/berth-process.ts';
import type { Gate } from '../hostile/gate.ts';
import type { InOrder } from '../fixtures/in-order.ts';
import { expectAllAnswered, startLoad } from '../fixtures/load.ts';
import { createRepository, type Repository } from '../fixtures/repository.ts';
import { tinyFiles } from '../fixtures/sources.ts';
import { applicationFixture, until, type App, type ApplicationFixture } from '../fixtures/applications.ts';

export interface KillPlace {
  bed: Bed;
  gate: Gate;
  berth: BerthHost;
}

interface Scene extends KillPlace {
  shop: ApplicationFixture;
  /** Berth's own, on a connection of the test's. */
  database: DatabaseSync;
  apps: Held[];
  /** The deployments that were under way when Berth was killed, in the order of `stages`. */
  before: StoredDeployment[];
  /** Number of a process on the host that is none of Berth's business. */
  planted: string;
}

type Held = App & { repository: Repository };

/** One application for each stage, which waits at the gate of the stage's name while that is shut. */
const held: Record<string, (scene: KillPlace & { shop: ApplicationFixture }) => Promise<Held>> = {
  async checkout({ bed, gate, shop }) {
    const server = await bed.host('s1', { index: 2, sshd: true });
    const repository = await createRepository(server, 'slow-server', tinyFiles('v1'));
    const { sshKeyId, publicKey } = await shop.berth.call<{ sshKeyId: string; publicKey: string }>(
      'sshKey.generate',
      { name: 'slow' },
    );
    const waiting = `/bin/busybox wget -q -O /dev/null ${gate.url('checkout')}`;
    const command = `${waiting}; exec sh -c \\"$SSH_ORIGINAL_COMMAND\\"`;
    await server.exec(['sh', '-c', 'cat >> /run/bed/authorized_keys'], {
      input: `command="${command}" ${publicKey}\n`,
    });
    const app = await shop.application('checkout');
    await app.do('application.saveBuildType', { buildType: 'dockerfile' });
    await app.do('application.saveGitProvider', {
      customGitUrl: `ssh://root@${server.ip}${repository.path}`,
      customGitBranch: 'main',
      customGitSSHKeyId: sshKeyId,
    });
    return Object.assign(app, { repository });
  },
  build: ({ gate, shop }) =>
    shop.fromFiles('build', tinyFiles('v1', { steps: [`wget -q -O /dev/null ${gate.url('build')}`] })),
  async publish({ bed, gate, shop }) {
    const { open } = await bed.registries();
    await shop.berth.host.launch('slow-registry', [
      // As the host sees them: its own /tmp covers a checkout that lies below the machine's.
      nodePath,
      `${project}/test/e2e/fixtures/slow-registry.ts`,
      '5055',
      open,
      gate.url('publish'),
    ]);
    await shop.berth.call('settings.update', { allowedPrivateNetworks: ['127.0.0.0/8'] });
    const { registryId } = await shop.berth.call<{ registryId: string }>('registry.create', {
      name: 'slow',
      registryUrl: '127.0.0.1:5055',
      username: 'any',
      password: 'any',
    });
    return shop.fromFiles('publish', tinyFiles('v1'), { settings: { registryId } });
  },
  release: ({ gate, shop }) =>
    shop.fromFiles('release', tinyFiles('v1'), {
      settings: { preReleaseCommand: ['/bin/wget', '-q', '-O', '/dev/null', gate.url('release')] },
    }),
  'await-healthy': ({ gate, shop }) =>
    shop.fromFiles(
      'await-healthy',
      tinyFiles('v1', {
        start: `wget -q -O /dev/null ${gate.url('await-healthy')}; exec httpd -f -p 3000 -h /www`,
      }),
      {
        settings: { healthCheck: { interval: 1, timeout: 2, retries: 2, startPeriod: 60 } },
      },
    ),
};
const stages = Object.keys(held);

export function heldTests(place: () => KillPlace, next: InOrder): void {
  let scene: Scene;
  const appOf = (stage: string): Held =>
    scene.apps[stages.indexOf(stage)] ?? fail(`There is no application for ${stage}.`);

  describe.concurrent('kill -9 of Berth in stages that are held open', () => {
    it(
      'while a deployment waits in each stage and one in the queue: all go on, and the running versions ' +
        'answer all the time',
      next(async () => {
        scene = await setScene(place());
        const { berth, apps } = scene;
        const loads = apps.map((app) =>
          startLoad({ ip: berth.host.ip, hostName: app.host, path: '/', perSecond: 10 }),
        );
        const ids = await holdInEachStage(scene);
        const queued = await appOf('build').begin('deploy', 'Behind the other');
        scene.before = ids.map((id) => storedDeployment(scene.database, id));
        expect(scene.before.map(({ stage, status }) => `${stage} ${status}`)).toEqual(
          stages.map((stage) => `${stage} running`),
        );
        expect(storedDeployment(scene.database, queued)).toMatchObject({ stage: 'queue', status: 'queued' });

        await killAndStart(scene);
        for (const stage of stages) scene.gate.open(stage);
        const ended = await Promise.all(
          [...apps, appOf('build')].map((app, index) => app.ended(ids[index] ?? queued)),
        );
        expect(ended.map(({ status, errorMessage }) => `${status} ${errorMessage}`)).toEqual(
          [...stages, 'queue'].map(() => 'done null'),
        );
        for (const app of apps) expect((await app.answer()).body).toBe('v2');
        for (const [index, load] of loads.entries()) await expectAllAnswered(stages[index] ?? '', load);
      }),
    );

    it(
      'each log names the stage; the former children are ended, and nothing else is',
      next(async () => {
        for (const { deploymentId, stage, child } of scene.before) {
          const log = await appOf(stage).log(deploymentId);
          expect(log).toContain(
            `Berth was restarted during the stage ${stage}; continuing (attempt 2 of 3).`,
          );
          expect(/Ended the process (\d+) /.exec(log)?.[1]).toBe(
            child === null ? undefined : String(child.pid),
          );
        }
        const { host } = scene.berth;
        expect((await host.exec(['kill', '-0', scene.planted])).code).toBe(0);
        expect(await processesOf(host, /docker build|git fetch|upload-pack/)).toEqual([]);
        expect(await dockerOf(host).services('berth.task')).toEqual([]);
        expect(await readdir(host.path('/var/lib/docker/berth-data/work'))).toEqual([]);
      }),
    );

    it(
      'nothing is left running or queued',
      next(async () => {
        const { database } = scene;
        expect(
          database.prepare(`select count(*) as n from "job" where "state" in ('queued', 'running')`).get(),
        ).toEqual({ n: 0 });
        expect(
          database
            .prepare(`select count(*) as n from "deployment" where "status" in ('queued', 'running')`)
            .get(),
        ).toEqual({ n: 0 });
        expect(database.prepare(`select distinct "applicationStatus" as s from "application"`).all()).toEqual(
          [{ s: 'done' }],
        );
      }),
    );

    it(
      'for the fourth time during one deployment ends it with that reason',
      next(async () => {
        const { gate, berth, database } = scene;
        const app = appOf('build');
        gate.shut('build');
        await app.repository.commit({ 'www/index.html': 'v3' });
        const id = await app.begin();
        await until('it builds', async () => gate.waiting('build') > 0);
        await berth.kill();
        database.prepare(`update "job" set "attempts" = 3 where "payload" like '%' || ? || '%'`).run(id);
        await berth.start();
        expect(await app.ended(id)).toMatchObject({
          status: 'error',
          errorMessage:
            'Berth was restarted 3 times during this deployment, last in the stage build. Deploy again ' +
            'when Berth is stable.',
        });
        await until('no build is left', async () => gate.waiting('build') === 0);
        expect(await app.view()).toMatchObject({ applicationStatus: 'error' });
        expect((await app.answer()).body).toBe('v2');
        gate.open('build');
      }),
    );

    it(
      "a lost lease ends the build's processes and leaves the deployment to whoever takes it up",
      next(async () => {
        const { gate, berth, database } = scene;
        const app = appOf('build');
        gate.shut('build');
        await app.repository.commit({ 'www/index.html': 'v4' });
        const id = await app.begin();
        await until('it builds', async () => gate.waiting('build') > 0);
        const { child } = storedDeployment(database, id);
        setLease(database, id, Date.now() + 3_600_000);
        await until('the child is ended', async () => !(await runs(berth.host, child)));
        await until('the log says so', async () =>
          (await app.log(id)).includes('Interrupted: The lease of this job was lost.'),
        );
        expect(storedDeployment(database, id)).toMatchObject({ status: 'running', stage: 'build' });
        gate.open('build');
        setLease(database, id, 0);
        expect(await app.ended(id)).toMatchObject({ status: 'done', errorMessage: null });
        expect((await app.answer()).body).toBe('v4');
      }),
    );
  });
}

/** The job as if another control plane had it. */
function setLease(database: DatabaseSync, deploymentId: string, leaseUntil: number): void {
  database
    .prepare(`update "job" set "worker" = 'another', "leaseUntil" = ? where "payload" like '%' || ? || '%'`)
    .run(leaseUntil, deploymentId);
}

async function setScene(place: KillPlace): Promise<Scene> {
  const shop = await applicationFixture(place.berth, { buildsConcurrency: 8 });
  const apps = await Promise.all(Object.values(held).map((make) => make({ ...place, shop })));
  await Promise.all(apps.map((app) => app.deploy()));
  await Promise.all(apps.map((app) => app.repository.commit({ 'www/index.html': 'v2' })));
  return {
    ...place,
    shop,
    apps,
    database: new DatabaseSync(await databasePath(place.bed, place.berth.host), { timeout: 5000 }),
    before: [],
    planted: '',
  };
}

/** Begins a deployment of each application and waits until each is held in its stage. */
async function holdInEachStage({ apps, gate }: Scene): Promise<string[]> {
  for (const stage of stages) gate.shut(stage);
  const ids = await Promise.all(apps.map((app) => app.begin()));
  await until('a deployment waits in each stage', async () =>
    stages.every((stage) => gate.waiting(stage) > 0),
  );
  return ids;
}

/** The children outlive the killed Berth, and the next one ends them. */
async function killAndStart(scene: Scene): Promise<void> {
  const { berth, before } = scene;
  const children = before
    .filter(({ stage }) => stage === 'checkout' || stage === 'build')
    .map(({ child }) => child);
  await berth.kill();
  console.log(`killed in the stages ${before.map(({ stage }) => stage).join(', ')} and queue`);
  for (const child of children) expect(await runs(berth.host, child)).toBe(true);
  scene.planted = await plant(scene, before[stages.indexOf('release')]?.deploymentId ?? '');
  await wait(1000);
  await berth.start();
  for (const child of children)
    await until('the former child is ended', async () => !(await runs(berth.host, child)));
}

/**
 * Stores a child of the deployment whose number belongs to another process by now: one that started at
 * another time.
 */
async function plant({ berth: { host }, database }: Scene, deploymentId: string): Promise<string> {
  await host.launch('bystander', ['sleep', '4242']);
  const pid = await until('the bystander runs', async () => (await processesOf(host, /^sleep 4242$/)).join());
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).slice(0, 13);
  const child = { pid: Number(pid), startTime: `1/${boot}/0123456789abcdef01234567` };
  database
    .prepare('update "deployment" set "child" = ? where "deploymentId" = ?')
    .run(JSON.stringify(child), deploymentId);
  return pid;
}

function fail(reason: string): never {
  throw new Error(reason);
}
