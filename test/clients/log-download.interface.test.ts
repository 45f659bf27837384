/** The log of a deployment as a file and by position, against the started program. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callerOf, valueOf } from '../e2e/fixtures/caller.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';

let program: Program;
let first: World;
let deploymentId: string;

beforeAll(async () => {
  ({ program, first } = await startWithWorlds(1));
  const { applicationId } = first.own;
  const call = callerOf(program.url, first.people.owner.byKey);
  await valueOf(call('application.deploy', { applicationId }));
  const newest = await valueOf(call('deployment.latest', { applicationId }));
  deploymentId = String(Reflect.get(Object(newest), 'deploymentId'));
  // Its stream ends with it.
  await (await get(`deployment.logs?deploymentId=${deploymentId}`, { accept: 'text/event-stream' })).text();
});
afterAll(() => program[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${program.url}/api/${path}`, { headers: { ...first.people.owner.byKey, ...headers } });

const file = (id: string): string => `deployments/${id}/log`;
const linesOf = async (query: string): Promise<{ position: number; text: string }[]> =>
  Reflect.get(
    Object(await (await get(`deployment.logLines?deploymentId=${deploymentId}${query}`)).json()),
    'lines',
  );

it('is a text file with every line, the same that are read by position', async () => {
  const response = await get(file(deploymentId), { 'last-event-id': '1000000' });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(response.headers.get('content-disposition')).toBe(
    `attachment; filename="deployment-${deploymentId}.log"`,
  );
  const text = await response.text();
  expect(text).toMatch(/^\d{4}-\d\d-\d\dT.*\n/);
  const lines = await linesOf('&from=0&limit=5000');
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.map((line) => `${line.text}\n`).join('')).toBe(text);
  expect(lines.at(-1)?.position).toBe(Buffer.byteLength(text));
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'error', message: expect.stringMatching(/^Failed: /) }),
  );
});

it('has the newest lines without a position, those before one, and those with a text', async () => {
  const all = await linesOf('&from=0&limit=5000');
  expect(await linesOf('&limit=1')).toEqual(all.slice(-1));
  expect(await linesOf(`&before=${all.at(-1)?.position}&limit=1`)).toEqual(all.slice(-2, -1));
  expect(await linesOf('&search=FAILED%3A&from=0')).toEqual(
    all.filter(({ text }) => text.toLowerCase().includes('failed:')),
  );
});

it('is for whoever reaches the service, and for nobody else', async () => {
  const status = async (id: string, headers: Record<string, string>): Promise<number> => {
    const response = await fetch(`${program.url}/api/${file(id)}`, { headers });
    await response.text();
    return response.status;
  };
  expect(await status(deploymentId, {})).toBe(401);
  expect(await status(deploymentId, first.people.stranger.byKey)).toBe(403);
  expect(await status(deploymentId, first.people.member.byKey)).toBe(403);
  expect(await status('absent', first.people.owner.byKey)).toBe(404);
  expect(await status('x'.repeat(101), first.people.owner.byKey)).toBe(400);
  expect(program.faults()).toEqual([]);
});
