import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { healthCheckOf, monitorMsOf, probeTarget, type HealthInputs } from './health-check.ts';

/**
 * Runs the probe's own text with the system's shell and tools; `sh` and `busybox` take the same arguments
 * here.
 */
function runProbe(test: string[]): number | null {
  const script = onThisMachine(test[4] ?? '').replaceAll(probeTarget, '');
  return spawnSync('sh', ['-c', script, 'probe', ...test.slice(6)], { timeout: 5000 }).status;
}

/** No word to process 1, and no mark in the machine's shared memory. */
const onThisMachine = (script: string): string =>
  script.replaceAll('/proc/1/fd/1', '/dev/null').replaceAll('/dev/shm/.berth-told', '/dev/null');

function portOf(server: Pick<Server, 'address'>): number {
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

  it("asks less often than the image's own check where that asks more than once a second", () => {
    const calmerHealthCheck = {
      test: ['CMD', 'true'],
      intervalMs: 1000,
      timeoutMs: 1,
      retries: 3,
      startPeriodMs: 0,
    };
    const inputs = { own: null, imageHasHealthCheck: true, calmerHealthCheck, targetPorts: [80] };
    expect(healthCheckOf(inputs)).toEqual(calmerHealthCheck);
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

  it('a worker without ports is looked at once it has run 5 s, and watched for as long as others', () => {
    const worker = { own: null, imageHasHealthCheck: false, targetPorts: [] };
    expect(healthCheckOf(worker)).toMatchObject({ intervalMs: 5000, startIntervalMs: 5000 });
    expect(monitorMsOf(worker)).toBe(1500);
    expect(monitorMsOf({ ...worker, own: { path: '/' } })).toBe(1500);
    const asked: Partial<HealthInputs>[] = [
      { own: { command: ['true'] } },
      { own: { port: 80 } },
      { imageHasHealthCheck: true },
      { targetPorts: [80] },
    ];
    for (const change of asked) expect(monitorMsOf({ ...worker, ...change })).toBe(5000);
  });

  it('looks each second until it is healthy, on engines that would wait longer by themselves', () => {
    const startOf = (own: HealthInputs['own']) =>
      healthCheckOf({ own, imageHasHealthCheck: false, targetPorts: [80] })?.startIntervalMs;
    expect([startOf(null), startOf({ path: '/', interval: 30 })]).toEqual([1000, 1000]);
    expect(startOf({ command: ['true'], interval: 30 })).toBeUndefined();
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

  it(
    'looks once until it was seen healthy; from then on one run goes on looking, and ends at the first ' +
      'failure',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'berth-probe-'));
      const seen = join(folder, 'seen');
      const script = (port: number): string =>
        onThisMachine(probeOf([port])[4] ?? '')
          .replaceAll(probeTarget, '')
          .replaceAll('/dev/shm/.berth-healthy', seen)
          .replace('sleep 2', 'sleep 0.04');
      const run = (text: string): Promise<{ code: number | null; ms: number }> =>
        new Promise((resolve) => {
          const started = Date.now();
          spawn('sh', ['-c', text, 'probe'], { timeout: 60_000 }).once('exit', (code) =>
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
    },
  );
});

const busybox = '/bin/busybox';

describe.skipIf(!existsSync(busybox))("the probe's own busybox", () => {
  /** One look by the program that runs it in containers; gives its exit code and what it said. */
  const look = (health: HealthInputs): Promise<{ code: number | null; said: string }> => {
    const [, , , , script = '', ...rest] = youngOnly(healthCheckOf(health)?.test ?? []);
    const program = spawn(
      busybox,
      ['sh', '-c', onThisMachine(script).replaceAll(probeTarget, busybox), ...rest],
      { timeout: 60_000 },
    );
    let said = '';
    program.stdout.on('data', (chunk: Buffer) => void (said += chunk.toString()));
    return new Promise((resolve) => program.once('close', (code) => resolve({ code, said: said.trim() })));
  };
  const ofPath = (port: number, timeout = 3): HealthInputs => ({
    own: { path: '/health?x=1', port, timeout },
    imageHasHealthCheck: false,
    targetPorts: [],
  });
  async function answering(
    answer: (response: ServerResponse) => void,
    work: (port: number) => Promise<void>,
  ): Promise<void> {
    const server = createHttpServer((request, response) =>
      request.url === '/health?x=1' ? answer(response) : response.writeHead(418).end(),
    ).listen(0, '0.0.0.0');
    await once(server, 'listening');
    try {
      await work(portOf(server));
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  it.each([200, 204, 302])('a path that answers %i is healthy', (status) =>
    answering(
      (response) => response.writeHead(status, { location: '/elsewhere' }).end(),
      async (port) => expect(await look(ofPath(port))).toEqual({ code: 0, said: '' }),
    ),
  );
  it.each([404, 503])('a path that answers %i is not, and the status and the time are said', (status) =>
    answering(
      (response) => response.writeHead(status).end('no'),
      async (port) =>
        expect(await look(ofPath(port))).toEqual({
          code: 1,
          said: expect.stringMatching(
            new RegExp(`^berth: GET http://127.0.0.1:${port}/health\\?x=1 answered ${status} after \\d+ ms$`),
          ),
        }),
    ),
  );
  it('a path that never answers is given up at the limit', () =>
    answering(
      () => undefined,
      async (port) =>
        expect(await look(ofPath(port, 1))).toEqual({
          code: 1,
          said: expect.stringMatching(/ gave no answer after [12]\d{3} ms$/),
        }),
    ));
  it('where nothing listens, a path and a port say what the program listens on', () =>
    answering(
      (response) => response.end(),
      async (port) => {
        const own = { port: 1 };
        const said = expect.stringMatching(
          new RegExp(
            `^berth: nothing listens on port 1; the program listens on .*\\b${port}\\b.* ` +
              "\\(set the domain's port or PORT\\)$",
          ),
        );
        expect(await look(ofPath(1))).toEqual({ code: 1, said });
        expect(await look({ own, imageHasHealthCheck: false, targetPorts: [] })).toEqual({ code: 1, said });
      },
    ));
  it('a listener on the loopback alone is told as one', () =>
    new Promise<void>((resolve, reject) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const port = portOf(server);
        look({ own: { port }, imageHasHealthCheck: false, targetPorts: [] })
          .then((seen) =>
            expect(seen).toEqual({
              code: 1,
              said:
                `berth: the service listens on port ${port} only on the loopback address; make it listen ` +
                'on 0.0.0.0',
            }),
          )
          .finally(() => server.close())
          .then(resolve, reject);
      });
    }));
});

/** The part after the first look is left out. */
function youngOnly(test: string[]): string[] {
  return test.map((part) => part.replace(/\nif \[ ! -e[\s\S]*$/, '\nexit 0'));
}
