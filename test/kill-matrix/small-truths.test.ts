/** What a newcomer is told and answered, through the interface, on an engine in memory. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStage, type Said, type Stage } from '../dangers/stage.ts';
import { textOf } from '../http/interface-client.ts';
import { installVirtualTime } from '../virtual-time/virtual-time.ts';
import { push } from '../engine-in-memory/images.ts';
import { serverProgram } from '../engine-in-memory/programs/programs.ts';
import { oldRedis, registry, web, webImage } from './images.ts';

let uninstall: () => void;
let folder: string;
let stage: Stage;
beforeAll(async () => {
  uninstall = installVirtualTime();
  folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'berth-truths-'));
  stage = await createStage(folder);
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
  uninstall();
});

async function call(path: string, input: object): Promise<Said> {
  const said = await stage.tenant.owner(path, input);
  if (said.status !== 200) throw new Error(`${path} answered ${said.status}: ${JSON.stringify(said.body)}`);
  return said;
}

/** One that runs the web server's image. */
async function application(name: string, more: object = {}): Promise<{ applicationId: string; made: Said }> {
  const { environmentId } = stage.tenant;
  const made = await call('application.create', { name, appName: name, environmentId, ...more });
  const applicationId = textOf(made.body, 'applicationId');
  await call('application.update', { applicationId, sourceType: 'container', containerImage: webImage });
  return { applicationId, made };
}

/** The id of the deployment, done. */
async function deployed(path: string, input: object): Promise<string> {
  const { deploymentId = '' } = await call(path, input);
  expect(await stage.ended(deploymentId)).toBe('done');
  return deploymentId;
}

test('an application that wants an address has one at once, and its log ends with it', async () => {
  const { applicationId, made } = await application('addressed', { withDomain: true });
  const address = textOf(made.body, 'address');
  expect(address).toMatch(/^http:\/\/addressed-[0-9a-f]{6}-[\d-]+\.sslip\.io/);
  const deploymentId = await deployed('application.deploy', { applicationId });
  expect(stage.machine.logs.get(deploymentId)?.at(-1)).toContain(address);
});

test('a rollback to a rollback is called by what it returns to', async () => {
  const { applicationId } = await application('titled');
  const first = await deployed('application.deploy', { applicationId, title: 'First' });
  await deployed('application.deploy', { applicationId, title: 'Second' });
  const back = await deployed('deployment.rollback', { deploymentId: first });
  const again = await deployed('deployment.rollback', { deploymentId: back });
  for (const deploymentId of [back, again])
    expect((await call('deployment.one', { deploymentId })).body).toMatchObject({
      title: 'Rollback to First',
    });
});

test('answers of changes carry no secrets; one does, for whoever may read them', async () => {
  const databasePassword = 'told-to-nobody';
  const { environmentId } = stage.tenant;
  const made = await call('redis.create', {
    name: 'kept',
    appName: 'kept',
    databasePassword,
    environmentId,
    containerImage: oldRedis,
  });
  const redisId = textOf(made.body, 'redisId');
  const deploying = await call('redis.deploy', { redisId });
  expect(await stage.ended(deploying.deploymentId)).toBe('done');
  const changed = await call('redis.update', { redisId, description: 'kept well' });
  for (const { body } of [made, deploying, changed])
    expect(JSON.stringify(body)).not.toContain(databasePassword);
  expect((await call('redis.one', { redisId })).body).toMatchObject({ databasePassword });
});

test('start takes the replicas of the record', async () => {
  const { applicationId } = await application('counted');
  await deployed('application.deploy', { applicationId });
  await call('application.stop', { applicationId });
  await call('application.update', { applicationId, replicas: 3 });
  await call('application.start', { applicationId });
  const service = [...stage.machine.memory.state.services.values()].find(
    ({ spec }) => spec.Name === 'counted',
  );
  expect(service?.spec.Mode?.Replicated?.Replicas).toBe(3);
});

test('a status that was set by hand goes when queues are cleaned', async () => {
  const { applicationId } = await application('by-hand');
  await deployed('application.deploy', { applicationId });
  await call('application.update', { applicationId, applicationStatus: 'error' });
  expect((await call('application.cleanQueues', { applicationId })).body).toMatchObject({
    applicationStatus: 'done',
  });
});

test('a domain without a port leads to what the image exposes, once a build has shown it', async () => {
  const { applicationId } = await application('shown');
  const noPort = { applicationId, path: '/', https: false };
  const { body } = await call('domain.create', { ...noPort, host: 'shown.test' });
  expect(body).toMatchObject({ port: 3000 });
  const domainId = textOf(body, 'domainId');
  const own = await call('domain.create', { ...noPort, host: 'own.test', port: 3000 });
  const portOf = async (id: string): Promise<unknown> =>
    Reflect.get(Object((await call('domain.one', { domainId: id })).body), 'port');

  const exposing = `${registry}/web:exposing`;
  stage.machine.memory.addImage(exposing, {
    ...web,
    programs: { ...web.programs, serve: serverProgram(8080) },
    exposedPorts: ['8080/tcp'],
  });
  push(stage.machine.memory.state, exposing, undefined);
  await call('application.update', { applicationId, containerImage: exposing });
  // Its health check looks at both; only one of them is there.
  await call('domain.delete', { domainId: textOf(own.body, 'domainId') });
  const deploymentId = await deployed('application.deploy', { applicationId });
  expect(await portOf(domainId)).toBe(8080);
  const later = await call('domain.create', { ...noPort, host: 'later.test' });
  expect(later.body).toMatchObject({ port: 8080 });
  const service = [...stage.machine.memory.state.services.values()].find(({ spec }) => spec.Name === 'shown');
  expect(service?.spec.TaskTemplate.ContainerSpec.Env).toContain('PORT=8080');
  expect((await call('application.one', { applicationId })).body).toMatchObject({ pendingChanges: [] });

  // One's own stays, whatever the image shows; null gives it back to the service.
  await call('domain.update', { domainId, host: 'shown.test', port: 9000 });
  expect(await portOf(domainId)).toBe(9000);
  await call('domain.update', { domainId, host: 'shown.test', port: null });
  expect(await portOf(domainId)).toBe(8080);
  await call('application.update', { applicationId, containerImage: webImage });
  await deployed('application.deploy', { applicationId });
  expect(await portOf(domainId)).toBe(3000);
  await deployed('deployment.rollback', { deploymentId });
  expect(await portOf(domainId)).toBe(8080);
});
