import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { EndedLine, EndedOutputs, EndedTask } from '../../ports/ended-output.ts';
import { createEndedOutputs } from './files.ts';

const root = mkdtempSync(join(tmpdir(), 'berth-ended-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const limit = 64 * 1024;
const owner = { organizationId: 'o1', serviceId: 's1' };
let folder = '';
let outputs: EndedOutputs;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'one-'));
  outputs = createEndedOutputs(folder, async () => limit);
});

function task(taskId: string, minute: number): EndedTask {
  const endedAt = `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`;
  const told = { serviceName: null, deploymentId: 'd1', exitCode: 1, reason: 'It ended.' };
  return { taskId, nodeId: 'n1', endedAt, ...told };
}

async function* said(...texts: string[]): AsyncGenerator<EndedLine> {
  for (const [index, text] of texts.entries())
    yield { at: `2026-01-01T00:00:00.${String(index).padStart(9, '0')}Z`, stream: 'stderr', text };
}
const texts = async (taskId: string): Promise<string[]> =>
  (await Array.fromAsync((await outputs.lines(owner, taskId)) ?? [])).map((line) => line.text);
const ids = async (): Promise<string[]> => (await outputs.tasks(owner)).map(({ taskId }) => taskId);

test('gives what it was given, the tasks newest first, to their own service alone', async () => {
  await outputs.keep(owner, task('t1', 1), said('one', ' größe € ', '', 'two\r\nhalves'));
  await outputs.keep(owner, task('t2', 2), said());
  expect(await ids()).toEqual(['t2', 't1']);
  expect((await outputs.tasks(owner))[1]).toEqual({ ...task('t1', 1), bytes: expect.any(Number) });
  expect(await Array.fromAsync((await outputs.lines(owner, 't1')) ?? [])).toEqual([
    { at: '2026-01-01T00:00:00.000000000Z', stream: 'stderr', text: 'one' },
    { at: '2026-01-01T00:00:00.000000001Z', stream: 'stderr', text: ' größe € ' },
    { at: '2026-01-01T00:00:00.000000002Z', stream: 'stderr', text: '' },
    { at: '2026-01-01T00:00:00.000000003Z', stream: 'stderr', text: 'two halves' },
  ]);
  expect(await texts('t2')).toEqual([]);
  expect(await outputs.has(owner, 't1')).toBe(true);
  for (const other of [
    { ...owner, organizationId: 'o2' },
    { ...owner, serviceId: 's2' },
  ]) {
    expect(await outputs.tasks(other)).toEqual([]);
    expect(await outputs.lines(other, 't1')).toBeUndefined();
    expect(await outputs.has(other, 't1')).toBe(false);
  }
});

test('stays within the limit of its service: the newest tasks, of each the newest lines', async () => {
  const lines = Array.from({ length: 3000 }, (_, index) => `${index} ${'x'.repeat(80)}`);
  for (let minute = 0; minute < 12; minute += 1)
    await outputs.keep(owner, task(`t${minute}`, minute), said(...lines));
  const present = readdirSync(join(folder, 'o1', 's1'));
  const bytes = present.reduce((sum, name) => sum + statSync(join(folder, 'o1', 's1', name)).size, 0);
  expect(bytes).toBeLessThanOrEqual(limit);
  expect(bytes).toBeGreaterThan(limit / 2);
  expect(await ids()).toEqual(present.map((_, index) => `t${11 - index}`));
  const kept = await texts('t11');
  expect(kept).toEqual(lines.slice(-kept.length));
  expect(kept.length).toBeGreaterThan(50);
});

test('is kept whole or not at all', async () => {
  async function* broken(): AsyncGenerator<EndedLine> {
    yield* said('one');
    throw new Error('the engine went away');
  }
  await expect(outputs.keep(owner, task('t1', 1), broken())).rejects.toThrow('the engine went away');
  expect(await ids()).toEqual([]);
  expect(await outputs.has(owner, 't1')).toBe(false);
});

test('goes with its age, with its service, and with what a crash left of it', async () => {
  await outputs.keep(owner, task('t1', 1), said('old'));
  await outputs.keep(owner, task('t2', 2), said('new'));
  await outputs.keep({ organizationId: 'o2', serviceId: 's2' }, task('t3', 3), said('gone'));
  writeFileSync(join(folder, 'o1', 's1', 't4.log.1-1.part'), 'half');
  await outputs.prune(Date.parse('2026-01-01T00:01:30Z'), ({ organizationId }) => organizationId === 'o1');
  expect(await ids()).toEqual(['t2']);
  expect(readdirSync(folder)).toEqual(['o1']);
  expect(readdirSync(join(folder, 'o1', 's1'))).toEqual(['t2.log']);
});

test('leads to no other place, and takes no other file for its own', async () => {
  mkdirSync(join(folder, 'o1', 's1'), { recursive: true });
  writeFileSync(join(folder, 'o1', 'secret.log'), '{}');
  writeFileSync(join(folder, 'o1', 's1', 'foreign.log'), 'not of ours');
  expect(await outputs.lines(owner, '../secret')).toBeUndefined();
  expect(await ids()).toEqual([]);
});
