import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isAlive } from '../process/process-identity.ts';
import { writeRecord } from '../record.ts';
import { waitUntil } from '../process/wait-until.ts';
import { recordedProcess, startDetached, stopRecorded, tailOf } from './detached.ts';

let folder = '';
const signal = new AbortController().signal;
const said: string[] = [];
const program = (script: string) => ({
  argv: ['/bin/sh', '-c', script] as const,
  env: { PATH: '/usr/bin:/bin' },
  cwd: folder,
  logFile: join(folder, 'program.log'),
  recordFile: join(folder, 'program.json'),
});
const stop = (limitMs: number): Promise<boolean> =>
  stopRecorded(join(folder, 'program.json'), {
    limitMs,
    signal,
    say: (line) => said.push(line),
    name: 'The program',
  });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-detached-'));
  said.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

it('records what it starts, and ends it in good order', async () => {
  const identity = await startDetached(
    program('trap "echo ends; exit 0" TERM; echo ready; while :; do sleep 0.05; done'),
  );
  await waitUntil(() => (tailOf(join(folder, 'program.log'), 5).includes('ready') ? true : undefined), {
    limitMs: 60_000,
    signal,
  });
  expect(recordedProcess(join(folder, 'program.json'))).toEqual(identity);
  expect(await stop(60_000)).toBe(true);
  expect(isAlive(identity)).toBe(false);
  expect(tailOf(join(folder, 'program.log'), 5)).toBe('ready\nends');
  expect(said).toEqual([]);
});

it('kills after the limit, and says so', async () => {
  const identity = await startDetached(program('trap "" TERM; echo ready; while :; do sleep 0.05; done'));
  await waitUntil(() => (tailOf(join(folder, 'program.log'), 5).includes('ready') ? true : undefined), {
    limitMs: 60_000,
    signal,
  });
  expect(await stop(300)).toBe(true);
  expect(isAlive(identity)).toBe(false);
  expect(said).toEqual(['The program did not end within 0.3 s and is killed']);
});

it('never touches the process that has the pid of a record now', async () => {
  const identity = await startDetached(program('sleep 30'));
  writeRecord(join(folder, 'program.json'), { ...identity, startTicks: '7' });
  expect(await stop(300)).toBe(false);
  expect(isAlive(identity)).toBe(true);
  writeRecord(join(folder, 'program.json'), identity);
  expect(await stop(60_000)).toBe(true);
});

it('refuses a program that is not there', async () => {
  await expect(startDetached({ ...program(''), argv: ['/absent/program'] })).rejects.toThrow('ENOENT');
});

it('shows the lines of the last start only', async () => {
  await startDetached(program('echo first; sleep 0.3'));
  await waitUntil(
    () => (readFileSync(join(folder, 'program.log'), 'utf8').includes('\nfirst') ? true : undefined),
    { limitMs: 60_000, signal },
  );
  await startDetached(program('echo second; sleep 0.3'));
  await waitUntil(
    () => (readFileSync(join(folder, 'program.log'), 'utf8').includes('\nsecond') ? true : undefined),
    { limitMs: 60_000, signal },
  );
  expect(tailOf(join(folder, 'program.log'), 10)).toBe('second');
});

it('starts compiled files that there are', () => {
  const named = ['detached.ts', 'starter.ts'].flatMap((file) =>
    [...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(/\/dist\/([\w/-]+)\.js/g)].map(
      ([, path]) => path,
    ),
  );
  expect(named).toHaveLength(2);
  for (const path of named)
    expect(existsSync(join(import.meta.dirname, '../..', `${path}.ts`)), path).toBe(true);
});
