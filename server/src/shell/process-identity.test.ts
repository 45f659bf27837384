import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { parseStat } from './proc.ts';
import { endProcessGroup, identityOf, isAlive, membersOf } from './process-identity.ts';

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function sleeper(args: string[] = ['60'], program = 'sleep'): ChildProcess & { pid: number } {
  const child = spawn(program, args, { detached: true, stdio: 'ignore' });
  started.push(child);
  if (child.pid === undefined) throw new Error('sleep did not start');
  return Object.assign(child, { pid: child.pid });
}

function identity(pid: number) {
  const found = identityOf(pid, '');
  if (found === undefined) throw new Error(`no process ${pid}`);
  return found;
}

describe('parseStat', () => {
  const rest = '1 77 77 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 123456 1 1';
  test.each(['cat', 'a b', 'a) S 9 9 9', '((', ') ) )', ''])('name %j', (name) => {
    expect(parseStat(`5 (${name}) S ${rest}`)).toEqual({
      startTime: '123456',
      parent: 1,
      group: 77,
      ended: false,
    });
  });
  test('ended, and nonsense', () => {
    expect(parseStat(`5 (x) Z ${rest}`)?.ended).toBe(true);
    expect(parseStat('')).toBeUndefined();
    expect(parseStat('5 (x) S 1 2')).toBeUndefined();
  });
});

test('a process is known again until it ends', async () => {
  const child = sleeper();
  const known = identity(child.pid);
  expect(isAlive(known)).toBe(true);
  expect(membersOf(known)).toEqual([child.pid]);
  const exit = once(child, 'exit');
  expect(await endProcessGroup(known)).toBe(true);
  await exit;
  expect(isAlive(known)).toBe(false);
  expect(identityOf(child.pid)).toBeUndefined();
});

test('a recycled pid is never signalled', async () => {
  const child = sleeper();
  const [ticks = '', boot = ''] = identity(child.pid).startTime.split('/');
  for (const other of [
    `${Number(ticks) - 1}/${boot}/`,
    `${Number(ticks) + 1}/${boot}/`,
    `${ticks}/another-boot/`,
    ticks,
    '',
    'x/y/z',
  ]) {
    const stranger = { pid: child.pid, startTime: other };
    expect(isAlive(stranger)).toBe(false);
    expect(await endProcessGroup(stranger, { graceMs: 100 })).toBe(true);
  }
  expect(isAlive(identity(child.pid))).toBe(true);
});

test('what ignores TERM is killed, also when its leader has gone', async () => {
  const child = sleeper(['-c', 'sh -c "trap \\"\\" TERM; while :; do sleep 0.1; done" & sleep 60'], 'sh');
  const known = identity(child.pid);
  await expect.poll(() => membersOf(known).length).toBeGreaterThanOrEqual(3);
  const members = membersOf(known);
  expect(await endProcessGroup(known, { graceMs: 300 })).toBe(true);
  for (const pid of members) expect(identityOf(pid)?.pid === undefined || !isAlive(identity(pid))).toBe(true);
});
