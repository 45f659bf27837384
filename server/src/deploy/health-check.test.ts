import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { healthCheckOf, probeTarget } from './health-check.ts';

/** Runs the probe's own text with the system's shell and tools; `sh` and `busybox` take the same arguments here. */
function runProbe(test: string[]): number | null {
  const script = (test[4] ?? '').replaceAll(probeTarget, '');
  return spawnSync('sh', ['-c', script, 'probe', ...test.slice(6)], { timeout: 5000 }).status;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

async function listening(host: string, work: (port: number) => void): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  try {
    work(portOf(server));
  } finally {
    server.close();
  }
}

describe('healthCheckOf', () => {
  it("takes the service's own command as it is", () => {
    const own = { command: ['curl', '-f', '$(id)'], interval: 3, timeout: 4, retries: 5, startPeriod: 6 };
    expect(healthCheckOf({ own, imageHasHealthCheck: true, targetPorts: [80] })).toEqual({
      test: ['CMD', 'curl', '-f', '$(id)'],
      intervalMs: 3000,
      timeoutMs: 4000,
      retries: 5,
      startPeriodMs: 6000,
    });
  });

  it("leaves the image's own check alone", () => {
    expect(healthCheckOf({ own: null, imageHasHealthCheck: true, targetPorts: [80] })).toBeUndefined();
  });

  it('gives a path to the probe as an argument, never as text of the script', () => {
    const check = healthCheckOf({
      own: { path: '/"; touch x; "' },
      imageHasHealthCheck: true,
      targetPorts: [8080],
    });
    expect(check?.test.at(-1)).toBe('http://127.0.0.1:8080/"; touch x; "');
    expect(check?.test[4]).not.toContain('touch');
  });

  it('an interval of its own is kept also while one run goes on looking', () => {
    const textOf = (interval: number): string =>
      healthCheckOf({ own: { path: '/', port: 80, interval }, imageHasHealthCheck: false, targetPorts: [] })
        ?.test[4] ?? '';
    expect(textOf(1)).toContain('-lt 30 ]; do $B sleep 2;');
    expect(textOf(20)).toContain('-lt 3 ]; do $B sleep 20;');
    expect(textOf(60)).toContain('-lt 0 ]; do');
  });

  it('a worker without ports is looked at once it has run 5 s', () => {
    expect(healthCheckOf({ own: null, imageHasHealthCheck: false, targetPorts: [] })).toMatchObject({
      intervalMs: 5000,
    });
  });
});

describe.skipIf(process.platform !== 'linux')('the listener probe', () => {
  const probeOf = (ports: number[]): string[] =>
    healthCheckOf({ own: null, imageHasHealthCheck: false, targetPorts: ports })?.test ?? [];

  it('finds a listener on every address', () =>
    listening('0.0.0.0', (port) => expect(runProbe(youngOnly(probeOf([port])))).toBe(0)));
  it('does not take a listener on the loopback', () =>
    listening('127.0.0.1', (port) => expect(runProbe(youngOnly(probeOf([port])))).toBe(1)));
  it('wants every port', () =>
    listening('0.0.0.0', (port) => expect(runProbe(youngOnly(probeOf([port, 1])))).toBe(1)));

  it('looks once until it was seen healthy; from then on one run goes on looking, and ends at the first failure', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-probe-'));
    const seen = join(folder, 'seen');
    const script = (port: number): string =>
      (probeOf([port])[4] ?? '')
        .replaceAll(probeTarget, '')
        .replaceAll('/dev/shm/.berth-healthy', seen)
        .replace('sleep 2', 'sleep 0.04');
    const run = (text: string): Promise<{ code: number | null; ms: number }> =>
      new Promise((resolve) => {
        const started = Date.now();
        spawn('sh', ['-c', text, 'probe'], { timeout: 8000 }).once('exit', (code) =>
          resolve({ code, ms: Date.now() - started }),
        );
      });
    const server = createServer().listen(0, '0.0.0.0');
    try {
      await once(server, 'listening');
      const text = script(portOf(server));
      expect((await run(script(1))).code).toBe(1);
      expect(existsSync(seen)).toBe(false);
      expect((await run(text)).code).toBe(0);
      expect(existsSync(seen)).toBe(true);
      expect(await run(text)).toMatchObject({ code: 0, ms: expect.toSatisfy((ms: number) => ms > 1100) });
      const watching = run(text);
      await delay(300);
      server.close();
      expect((await watching).code).toBe(1);
    } finally {
      server.close();
      rmSync(folder, { recursive: true });
    }
  });
});

/** The part after the first look is left out. */
function youngOnly(test: string[]): string[] {
  return test.map((part) => part.replace(/\nif \[ ! -e[\s\S]*$/, '\nexit 0'));
}
