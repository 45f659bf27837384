/** Containers that do not end when they are told to: they outlive neither their service nor its quota. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { push } from '../engine-in-memory/images.ts';
import { never } from '../engine-in-memory/programs/program.ts';
import { unixPrograms } from '../engine-in-memory/programs/programs.ts';
import { textOf } from '../http/interface-client.ts';
import { registry } from '../kill-matrix/images.ts';
import { installVirtualTime } from '../virtual-time/virtual-time.ts';
import { createStage, type Said, type Stage } from './stage.ts';

const stubborn = `${registry}/stubborn:1`;
const minuteMs = 60_000;

let uninstall: () => void;
let folder: string;
let stage: Stage;
beforeAll(async () => {
  uninstall = installVirtualTime();
  folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'berth-ghosts-'));
  stage = await createStage(folder);
  const { memory } = stage.machine;
  memory.addImage(stubborn, {
    programs: {
      ...unixPrograms,
      stay: (running) => {
        running.onStop(() => undefined);
        running.listen(3000, () => 'here');
        return never();
      },
    },
    command: ['stay'],
    exposedPorts: ['3000/tcp'],
  });
  push(memory.state, stubborn, undefined);
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
  uninstall();
});

const said = (path: string, input: object): Promise<Said> => stage.tenant.owner(path, input);

async function call(path: string, input: object): Promise<Said> {
  const answer = await said(path, input);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

/** Deployed; it stays for an hour when it is told to end. */
async function application(name: string): Promise<string> {
  const { environmentId } = stage.tenant;
  const made = await call('application.create', { name, appName: name, environmentId });
  const applicationId = textOf(made.body, 'applicationId');
  await call('application.update', {
    applicationId,
    sourceType: 'container',
    containerImage: stubborn,
    stopGracePeriod: 3600,
  });
  await deployed(applicationId);
  return applicationId;
}

async function deployed(applicationId: string): Promise<void> {
  const { deploymentId } = await call('application.deploy', { applicationId });
  expect(await stage.ended(deploymentId)).toBe('done');
}

const running = (applicationId: string): number =>
  [...stage.machine.memory.state.containers.values()].filter(
    ({ labels, state }) => labels['berth.application'] === applicationId && state === 'running',
  ).length;

/** As the reconciler goes on each minute. */
async function minutes(count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    await stage.run(() => stage.world.reconciler.run());
    await stage.run(() => sleep(minuteMs));
  }
  await stage.run(() => stage.world.reconciler.run());
}

test('a service is deleted when its containers have ended, ten minutes later at most', async () => {
  const applicationId = await application('ghost');
  expect(running(applicationId)).toBe(1);
  for (const attempt of [1, 2]) {
    const answer = await said('application.delete', { applicationId });
    expect({ attempt, status: answer.status }).toEqual({ attempt, status: 503 });
    // It is there, counted, and nothing of it is started again.
    await minutes(1);
    expect(running(applicationId)).toBe(1);
    expect((await call('application.one', { applicationId })).body).toMatchObject({ applicationId });
  }
  await minutes(10);
  expect(running(applicationId)).toBe(0);
  await call('application.delete', { applicationId });
  expect((await said('application.one', { applicationId })).status).toBe(404);
});

test('what a deployment replaces is ended after ten minutes, too', async () => {
  const applicationId = await application('replaced');
  await deployed(applicationId);
  await deployed(applicationId);
  await minutes(1);
  expect(running(applicationId)).toBeGreaterThan(1);
  await minutes(11);
  expect(running(applicationId)).toBe(1);
  // What is to run is left alone, however long it has.
  await minutes(15);
  expect(running(applicationId)).toBe(1);
});
