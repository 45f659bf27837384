import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createClient } from '../../client/client.ts';
import { signIn } from '../../client/sign-in.ts';
import { onFreePort } from '../../test/free-port.ts';
import { owner } from './seeds.ts';

const limitMs = 180_000;
const temporary = mkdtempSync(join(tmpdir(), 'berth-dev-test-'));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

interface Development {
  url: string;
  output(): string;
  stop(): Promise<number | null>;
}

/** As `npm run dev -- --api-only`; resolves when it has said how to sign in. */
async function startDevelopment(port: number): Promise<Development> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'main.ts'), '--api-only', '--port', String(port)],
    { env: { ...process.env, TMPDIR: temporary }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  const ended = once(child, 'exit');
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        output += part;
        if (output.includes('Sign in')) resolve();
      });
    void ended.then(() => reject(new Error(output)));
  });
  return {
    url: `http://localhost:${port}`,
    output: () => output,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      return child.exitCode;
    },
  };
}

it('runs Berth with its seeds until it is stopped, and leaves nothing behind', {
  timeout: limitMs,
}, async () => {
  const development = await onFreePort('127.0.0.1', startDevelopment, (error) =>
    String(error).includes('is taken'),
  );
  const client = createClient(await signIn({ url: development.url, ...owner }));
  const isSettled = ({ applicationStatus }: { applicationStatus: string }): boolean =>
    applicationStatus === 'done' || applicationStatus === 'error';
  for await (const _event of client.event.stream({})) {
    const [shop] = await client.project.all();
    const { applications = [], redis = [] } = shop?.environments[0] ?? {};
    const statuses = new Map(applications.map((one) => [one.name, one]));
    const [web, broken] = [statuses.get('web'), statuses.get('checkout')];
    if (!web || !broken || !isSettled(web) || !isSettled(broken) || !redis.every(isSettled)) continue;
    expect(web.live).toMatchObject({ running: 1, desired: 1 });
    expect([broken.applicationStatus, redis[0]?.applicationStatus]).toEqual(['error', 'done']);
    break;
  }
  const second = startDevelopment(Number(new URL(development.url).port));
  await expect(second).rejects.toThrow('is taken: end what listens there, or choose another with --port.');
  expect(await development.stop()).toBe(0);
  expect(readdirSync(temporary)).toEqual([]);
});
