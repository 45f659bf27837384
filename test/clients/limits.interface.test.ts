/** What a caller can make the started program read, hold and keep, at the limits that the settings name. */
import { mkdir, mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { tableStore } from '../../server/src/db/table-store.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';

const MiB = 1024 ** 2;
let data: string;
let program: Program;
let world: World;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'berth-limits-'));
  ({ program, first: world } = await startWithWorlds(0, { env: { BERTH_DATA: data } }));
});
afterAll(async () => {
  await program[Symbol.asyncDispose]();
  await rm(data, { recursive: true, force: true });
});

const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${program.url}/api/${path}`, {
    ...init,
    headers: { ...world.people.owner.byKey, ...Object.fromEntries(new Headers(init.headers)) },
    signal: init.signal ?? AbortSignal.timeout(120_000),
  });

const set = async (settings: object): Promise<void> => {
  const answer = await ask('settings.update', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  });
  expect(answer.status).toBe(200);
};

/** Bytes that the program has read so far, of files and connections (proc(5), io). */
async function bytesRead(): Promise<number> {
  return Number(/^rchar: (\d+)$/m.exec(await readFile(`/proc/${program.pid}/io`, 'utf8'))?.[1]);
}

/** Gives the position of its end. */
async function writeLog(deploymentId: string, bytes: number): Promise<number> {
  await mkdir(join(data, 'logs'), { recursive: true });
  const file = await open(join(data, 'logs', `${deploymentId}.log`), 'w');
  const lines = Array.from(
    { length: 10_000 },
    (_, index) => `2026-11-20T11:17:03.000Z ${index} ${'x'.repeat(74)}\n`,
  );
  const block = Buffer.from(lines.join(''));
  let size = 0;
  for (; size < bytes; size += block.length) await file.write(block);
  await file.close();
  return size;
}

it('reads of a log of 128 MiB what it shows, and shows no more than one answer may hold', async () => {
  const { deploymentId = '' } = world.own;
  const size = await writeLog(deploymentId, 128 * MiB);
  // The first question is not of the log: what is read once for all is read then.
  await ask(`deployment.one?deploymentId=${deploymentId}`);

  const before = await bytesRead();
  const last: unknown = await (await ask(`deployment.readLogs?deploymentId=${deploymentId}&tail=1`)).json();
  expect(last).toEqual([expect.stringMatching(/ 9999 x{74}$/)]);
  expect((await bytesRead()) - before).toBeLessThan(0.5 * MiB);

  const text = await (await ask(`deployment.readLogs?deploymentId=${deploymentId}`)).text();
  expect(text.length).toBeLessThan(9 * MiB);
  expect(text.slice(0, 200)).toContain(
    'Earlier lines are left out: one answer shows at most 8,388,608 bytes',
  );
  expect((await bytesRead()) - before).toBeLessThan(10 * MiB);

  const from = size - 100_000;
  const rest = await (await ask(`deployment.logs?deploymentId=${deploymentId}&lastEventId=${from}`)).text();
  expect(JSON.parse(rest)).toMatchObject({ lastEventId: String(size) });
  expect((await bytesRead()) - before).toBeLessThan(11 * MiB);

  const whole = await (await ask(`deployment.logs?deploymentId=${deploymentId}`)).text();
  expect(whole.length).toBeLessThan(9 * MiB);
  expect(whole.slice(-400)).toContain('There is more: one answer holds at most 8388608 bytes');
});

it('lets a user open as many live streams as the setting says, and no more', async () => {
  const { deploymentId = '' } = world.own;
  await tableStore(program.database, 'deployment').update({ deploymentId }, { status: 'running' });
  await writeLog(deploymentId, 1);
  await set({ streamLimit: 4 });
  const leave = new AbortController();
  const follow = (): Promise<Response> =>
    ask(`deployment.logs?deploymentId=${deploymentId}`, {
      headers: { accept: 'text/event-stream' },
      signal: leave.signal,
    });
  const answers: Response[] = [];
  for (let count = 0; count < 6; count += 1) answers.push(await follow());
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429, 429]);
  expect(await answers.at(-1)?.json()).toMatchObject({
    error: {
      code: 'TOO_MANY_REQUESTS',
      message: expect.stringContaining('a user may have 4 at once (setting streamLimit)'),
    },
  });
  await set({ streamLimit: 5 });
  expect((await follow()).status).toBe(200);
  leave.abort();
});

it('keeps one folder of five uploads', async () => {
  const { applicationId = '' } = world.own;
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from('hello'), 'index.html');
  zip.end();
  const content = await buffer(zip.outputStream);
  const upload = async (): Promise<number> => {
    const body = new FormData();
    body.append('applicationId', applicationId);
    body.append('file', new Blob([new Uint8Array(content)]), 'site.zip');
    return (await ask('application.dropDeployment', { method: 'POST', body })).status;
  };
  const folder = join(data, 'uploads', applicationId);
  for (let count = 0; count < 5; count += 1) {
    expect(await upload()).toBe(200);
    expect(await readdir(folder)).toHaveLength(1);
  }
  expect(await Promise.all([upload(), upload(), upload()])).toEqual([200, 200, 200]);
  expect(await readdir(folder)).toHaveLength(1);

  await set({ minFreeDisk: 1024 ** 4 });
  expect(await upload()).toBe(412);
  expect(await readdir(folder)).toHaveLength(1);
});
