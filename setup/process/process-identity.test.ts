import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { environmentOf, identify, isAlive, parseStat, signalProcess } from './process-identity.ts';

it('reads state and start time past a name with brackets and spaces', () => {
  const stat = `42 (a) b (c) S 1 ${Array.from({ length: 17 }, (_, index) => index).join(' ')} 70415 99`;
  expect(parseStat(stat)).toEqual({ state: 'S', startTicks: '70415' });
});

it('knows a live process and ends exactly it', async () => {
  const child = spawn('sleep', ['30'], { env: { MARK: 'x=y', PATH: process.env['PATH'] } });
  await once(child, 'spawn');
  const identity = identify(child.pid ?? 0);
  if (identity === undefined) throw new Error('the child was not seen');
  expect(isAlive(identity)).toBe(true);
  expect(environmentOf(identity.pid)?.['MARK']).toBe('x=y');
  // The same pid with another start time, or from another boot, is another process: nothing is sent.
  expect(signalProcess({ ...identity, startTicks: '1' }, 'SIGKILL')).toBe(false);
  expect(signalProcess({ ...identity, boot: 'before' }, 'SIGKILL')).toBe(false);
  expect(isAlive(identity)).toBe(true);
  expect(signalProcess(identity, 'SIGTERM')).toBe(true);
  await once(child, 'close');
  expect(isAlive(identity)).toBe(false);
  expect(signalProcess(identity, 'SIGTERM')).toBe(false);
});
