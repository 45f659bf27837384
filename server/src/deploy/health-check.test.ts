import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { healthCheckOf, probeTarget } from './health-check.ts';

/** Runs the probe's own text with the system's shell and tools; `sh` and `busybox` take the same arguments here. */
function runProbe(test: string[]): number | null {
  const script = (test[4] ?? '').replaceAll(probeTarget, '');
  return spawnSync('sh', ['-c', script, 'probe', ...test.slice(6)], { timeout: 5000 }).status;
}

async function listening(host: string, work: (port: number) => void): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  try {
    work(typeof address === 'object' && address ? address.port : 0);
  } finally {
    server.close();
  }
}

describe('healthCheckOf', () => {
  it("takes the service's own command as it is", () => {
    const own = { command: ['curl', '-f', '$(id)'], interval: 3, timeout: 4, retries: 5, startPeriod: 6 };
    expect(healthCheckOf({ own, imageHasHealthCheck: true, targetPorts: [80] })).toEqual({
      test: ['CMD', 'curl', '-f', '$(id)'], intervalMs: 3000, timeoutMs: 4000, retries: 5, startPeriodMs: 6000,
    });
  });

  it("leaves the image's own check alone", () => {
    expect(healthCheckOf({ own: null, imageHasHealthCheck: true, targetPorts: [80] })).toBeUndefined();
  });

  it('gives a path to the probe as an argument, never as text of the script', () => {
    const check = healthCheckOf({ own: { path: '/"; touch x; "' }, imageHasHealthCheck: true, targetPorts: [8080] });
    expect(check?.test.at(-1)).toBe('http://127.0.0.1:8080/"; touch x; "');
    expect(check?.test[4]).not.toContain('touch');
  });

  it('a worker without ports is looked at once it has run 5 s', () => {
    expect(healthCheckOf({ own: null, imageHasHealthCheck: false, targetPorts: [] })).toMatchObject({ intervalMs: 5000 });
  });
});

describe.skipIf(process.platform !== 'linux')('the listener probe', () => {
  // The probe's text names busybox by its path; the system's own grep stands in, since both read the same tables.
  const probeOf = (ports: number[]): string[] => healthCheckOf({ own: null, imageHasHealthCheck: false, targetPorts: ports })?.test ?? [];

  it('finds a listener on every address', () => listening('0.0.0.0', (port) => expect(runProbe(youngOnly(probeOf([port])))).toBe(0)));
  it('does not take a listener on the loopback', () => listening('127.0.0.1', (port) => expect(runProbe(youngOnly(probeOf([port])))).toBe(1)));
  it('wants every port', () => listening('0.0.0.0', (port) => expect(runProbe(youngOnly(probeOf([port, 1])))).toBe(1)));
});

/** The machine's process 1 is old; the part after the first look is left out. */
function youngOnly(test: string[]): string[] {
  return test.map((part) => part.replace(/\nread -r up[\s\S]*$/, '\nexit 0'));
}
