import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createFileLogs } from '../../../adapters/deployment-log/file-log.ts';
import type { TableRecord } from '../../../db/tables.ts';
import { AppError } from '../../../domain/errors.ts';
import { systemClock } from '../../../ports/clock.ts';
import { createServerSetup, type ServerSetup } from './setup.ts';
import type { Stage } from './stage.ts';
import { setupStages, type SetupStage } from './stages.ts';
import { plainServer } from '../../../../../test/world/plain-server.ts';

type ServerRecord = TableRecord<'server'>;

const record: ServerRecord = {
  ...plainServer,
  serverId: 'edge',
  organizationId: 'o',
  name: 'edge',
  sshKeyId: 'key',
  status: 'inactive',
  createdAt: '2026-01-01T00:00:00.000Z',
};
const never = new AbortController().signal;

/** One server, and stages that do as the test says. */
function world(stage: (name: SetupStage) => ReturnType<Stage>) {
  let server = record;
  const table = Object.fromEntries(setupStages.map((name) => [name, () => stage(name)]));
  const folder = mkdtempSync(join(tmpdir(), 'berth-setup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const setup: ServerSetup = createServerSetup({
    servers: {
      find: async () => server,
      update: async (_, patch) => void (server = { ...server, ...patch }),
    },
    queue: {
      enqueue: async () => 'job',
      cancelQueued: async () => [],
      cancelRunning: async () => undefined,
      wake: () => undefined,
    },
    logs: createFileLogs(folder, systemClock),
    contextOf: async () =>
      Object.assign(Object.create(null), { host: {}, say: () => undefined, signal: never }),
    onFault: () => 'fault-1',
    stages: table as unknown as Record<SetupStage, Stage>,
  });
  return {
    setup,
    server: () => server,
    run: (attempts = 1, signal = never) => setup.run({ payload: { serverId: 'edge' }, attempts }, signal),
    async lines(): Promise<string[]> {
      const lines: string[] = [];
      for await (const { text } of setup.follow(server, { from: 0, signal: never, live: true }))
        lines.push(text);
      return lines.map((line) => line.replace(/^\S+Z /, ''));
    },
  };
}

it('runs its stages in their order, and says what it changed, or that it changed nothing', async () => {
  const began: string[] = [];
  let changes = ['installed the engine'];
  const { setup, run, server, lines } = world(async (name) => {
    began.push(name);
    return name === 'engine' ? changes : [];
  });
  expect(await setup.accept(record)).toMatchObject({ setupStatus: 'running' });
  await run();
  expect(began).toEqual(setupStages);
  expect(server()).toMatchObject({ status: 'active', setupStatus: 'done', setupError: null });
  expect((await lines()).slice(-2)).toEqual(['Changed: installed the engine.', 'Done.']);
  changes = [];
  await setup.accept(server());
  await run();
  expect((await lines()).at(-1)).toBe('Done. Everything was already there; nothing was changed.');
});

it.each(setupStages)('that is broken off in the stage %s goes on', async (last) => {
  const broken = new AbortController();
  let isFirst = true;
  const { setup, run, server, lines } = world(async (name) => {
    if (isFirst && name === last) {
      broken.abort(new Error('Berth is stopping.'));
      broken.signal.throwIfAborted();
    }
    return [];
  });
  await setup.accept(record);
  await run(1, broken.signal);
  expect(server()).toMatchObject({ setupStatus: 'running', setupStage: last, status: 'inactive' });
  isFirst = false;
  await run(2);
  expect(server()).toMatchObject({ setupStatus: 'done', status: 'active' });
  const told = await lines();
  expect(told.join('\n')).toContain('Berth was restarted; continuing (attempt 2).');
  expect(told.at(-1)).toBe('Done. After the restart nothing was missing any more.');
});

it('tells why a stage failed, and what went wrong inside only by its id', async () => {
  const { setup, run, server } = world(async (name) => {
    if (name === 'proxy') throw new AppError('PRECONDITION_FAILED', 'Port 80 is held by nginx.');
    return [];
  });
  await setup.accept(record);
  await run();
  expect(server()).toMatchObject({
    setupStatus: 'error',
    setupStage: 'proxy',
    setupError: 'Port 80 is held by nginx.',
    status: 'inactive',
  });
  const inside = world(() => Promise.reject(new Error('secret detail')));
  await inside.setup.accept(record);
  await inside.run();
  expect(inside.server().setupError).toContain('fault-1');
  expect(inside.server().setupError).not.toContain('secret');
});

it('begins a stage again that lost the server', async () => {
  let cuts = 1;
  const { setup, run, server } = world(async (name) => {
    if (name === 'engine' && cuts > 0) {
      cuts -= 1;
      throw new AppError('SERVICE_UNAVAILABLE', 'The connection was cut.');
    }
    return [];
  });
  await setup.accept(record);
  await run();
  expect(server()).toMatchObject({ setupStatus: 'done' });
});
