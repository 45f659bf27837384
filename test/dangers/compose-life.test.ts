/** How long services of a compose file live: jobs, servers, and what is tried again. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { textOf } from '../http/interface-client.ts';
import { webImage } from '../kill-matrix/images.ts';
import { installVirtualTime } from '../virtual-time/virtual-time.ts';
import { createStage, type Stage } from './stage.ts';

let uninstall: () => void;
let folder: string;
let stage: Stage;
/** Of the compose service of the test that runs. */
let appName = '';
let count = 0;
beforeAll(async () => {
  uninstall = installVirtualTime();
  folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'berth-compose-life-'));
  stage = await createStage(folder);
}, 120_000);
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
  uninstall();
});

const call = (path: string, input: object) => stage.tenant.owner(path, input);

async function made(composeFile: string): Promise<string> {
  const { environmentId } = stage.tenant;
  count += 1;
  appName = `life${count}`;
  const answer = await call('compose.create', { name: appName, appName, environmentId, composeFile });
  return textOf(answer.body, 'composeId');
}

/** How a deployment of the service ended, and its log. */
async function deployed(composeId: string): Promise<{ end: string; log: string }> {
  const { deploymentId = '' } = await call('compose.deploy', { composeId });
  const end = await stage.ended(deploymentId);
  return { end, log: (stage.machine.logs.get(deploymentId) ?? []).join('\n') };
}

const service = (name: string, command: string, more = ''): string =>
  `  ${name}:\n    image: ${webImage}\n    command: ${command}\n${more}`;
const tasksOf = (name: string) =>
  [...stage.machine.memory.state.tasks.values()].filter(
    ({ serviceName }) => serviceName === `${appName}_${name}`,
  );
const containerOf = (name: string) =>
  [...stage.machine.memory.state.containers.values()].find(
    ({ labels, state }) =>
      state === 'running' &&
      labels['com.docker.compose.project'] === appName &&
      labels['berth.service'] === name,
  );
const names = (): string[] =>
  [...stage.machine.memory.state.services.values()]
    .map(({ spec }) => spec.Name)
    .filter((name) => name.startsWith(`${appName}_`));

it('what ends with 0 is done, and runs again in the next deployment', async () => {
  const composeId = await made(`services:\n${service('web', '[serve]')}${service('job', '["true"]')}`);
  const first = await deployed(composeId);
  expect(first.end).toBe('done');
  expect(first.log).toContain('job: Ended with 0, so it is done');
  expect(names()).toEqual([`${appName}_web`]);
  expect((await deployed(composeId)).log).toContain('job: Ended with 0, so it is done');
  await call('compose.stop', { composeId });
  expect((await call('compose.start', { composeId })).status).toBe(200);
  expect(names()).toEqual([`${appName}_web`]);
});

it('what ends otherwise has failed', async () => {
  const composeId = await made(`services:\n${service('job', '["false"]')}`);
  expect((await deployed(composeId)).end).toContain('Service job: Its program ended with exit code 1');
});

it('with restart: always an end with 0 is a failure', async () => {
  const composeId = await made(`services:\n${service('job', '["true"]', '    restart: always\n')}`);
  expect((await deployed(composeId)).end).toContain('a service has to keep running');
});

it('a server that a domain leads to may not end', async () => {
  const composeId = await made(`services:\n${service('job', '["true"]', '    restart: "no"\n')}`);
  const domain = await call('domain.create', {
    composeId,
    domainType: 'compose',
    serviceName: 'job',
    host: 'life.example.test',
    port: 3000,
  });
  expect(domain).toMatchObject({ status: 200 });
  expect((await deployed(composeId)).end).toMatch(/^error: Service job: /);
});

it('a job that takes longer is done when it ends, and runs again in the next deployment alone', async () => {
  const composeId = await made(`services:\n${service('slow', '[sleep, "60"]')}`);
  expect((await deployed(composeId)).end).toBe('done');
  expect(names()).toEqual([`${appName}_slow`]);
  const isComplete = (): boolean => tasksOf('slow').some(({ state }) => state === 'complete');
  await expect.poll(isComplete).toBe(true);
  await stage.run(() => stage.world.reconciler.run());
  expect(tasksOf('slow').map(({ state }) => state)).toEqual(['complete']);
  expect((await deployed(composeId)).log).toContain('slow: It has ended since; running it again.');
  expect(tasksOf('slow').map(({ state }) => state)).toEqual(['complete', 'running']);
});

it('what others wait for is tried again after a failure, where the file says so', async () => {
  const waits = '    depends_on: { job: { condition: service_completed_successfully } }\n';
  const file = (restart: string): string =>
    `services:\n${service('job', '["false"]', `    restart: ${restart}\n`)}` +
    service('web', '[serve]', waits);
  const composeId = await made(file('on-failure:2'));
  const { end, log } = await deployed(composeId);
  expect(end).toContain('after 2 retries, but must end with 0');
  expect(log).toContain('running it again (2 of 2)');
  await call('compose.update', { composeId, composeFile: file('"no"') });
  expect((await deployed(composeId)).log).not.toContain('running it again');
});

it('a folder beside the file has the file mounts below it, and is shared with what reads it', async () => {
  const composeId = await made(
    `services:\n${service('web', '[serve]', '    volumes: ["./conf:/etc/conf:ro", "./up:/up"]\n')}` +
      service('reader', '[serve]', '    volumes: ["./up/:/srv:ro"]\n'),
  );
  for (const name of ['a.conf', 'more/b.conf'])
    await call('mount.create', {
      composeId,
      type: 'file',
      filePath: `conf/${name}`,
      mountPath: `/elsewhere/${name}`,
      content: name,
    });
  expect((await deployed(composeId)).end).toBe('done');
  expect(Object.fromEntries(containerOf('web')?.files ?? [])).toMatchObject({
    '/etc/conf/a.conf': 'a.conf',
    '/etc/conf/more/b.conf': 'more/b.conf',
  });
  expect(containerOf('web')?.volumes).toEqual(containerOf('reader')?.volumes);
  expect(containerOf('web')?.volumes).toHaveLength(1);
  await call('compose.update', {
    composeId,
    composeFile: `services:\n${service('web', '[serve]', '    volumes: ["./none.conf:/none.conf:ro"]\n')}`,
  });
  expect((await deployed(composeId)).end).toContain('there is no ./none.conf');
});

it('secrets are kept as the secrets of the engine', async () => {
  const rest = 'secrets: { pw: { environment: PW } }\nconfigs: { c: { content: open } }\n';
  const composeId = await made(
    `services:\n${service('web', '[serve]', '    secrets: [pw]\n    configs: [c]\n')}${rest}`,
  );
  await call('compose.saveEnvironment', { composeId, env: 'PW=s3cret' });
  expect((await deployed(composeId)).end).toBe('done');
  const { secrets, configs } = stage.machine.memory.state;
  const kept = (store: typeof secrets): string[] =>
    [...store.values()].map(({ data }) => Buffer.from(data, 'base64').toString());
  expect([kept(secrets), kept(configs)]).toEqual([['s3cret'], expect.not.arrayContaining(['s3cret'])]);
  expect(containerOf('web')?.files.get('/run/secrets/pw')).toBe('s3cret');
});

it('what ran until its engine was restarted is started again', async () => {
  const composeId = await made(`services:\n${service('worker', '[sleep, "60"]')}`);
  expect((await deployed(composeId)).end).toBe('done');
  await expect.poll(() => tasksOf('worker').map(({ state }) => state)).toEqual(['complete']);
  // An engine that is restarted notes the end of its containers when it is back.
  for (const { container } of tasksOf('worker')) if (container) container.finishedAt -= 10_000;
  await stage.run(() => stage.world.reconciler.run());
  // Made time passes quickly: the second may have ended, too, before anybody looks.
  await expect.poll(() => tasksOf('worker').length).toBe(2);
});
