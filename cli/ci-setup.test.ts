import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { startAnsweringServer, type AnsweringServer } from '../test/answering-server.ts';
import { runBerth, type Ran } from '../test/command-line.ts';
import { recordedAnswers } from '../test/recorded-answers.ts';

let server: AnsweringServer;
let home: string;
beforeAll(async () => {
  server = await startAnsweringServer(recordedAnswers);
  home = await mkdtemp(join(tmpdir(), 'berth-ci-'));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});

/** Redirected, as the guide says. */
const setup = (...argv: string[]): Promise<Ran> =>
  runBerth(['ci', 'setup', ...argv], {
    environment: { HOME: home, BERTH_URL: server.url, BERTH_API_KEY: 'key' },
    folder: home,
  });
const https = ['--runner-url', 'https://berth.example.com'];

test.each(['github', 'gitea', 'forgejo'])(
  '%s gets a workflow that takes the program from here',
  async (forge) => {
    const { code, out } = await setup(forge, 'shop/web', ...https);
    expect(code).toBe(0);
    const { steps } = parse(out).jobs.deploy;
    const step = steps.at(-1);
    expect(step.env.BERTH_URL).toBe('https://berth.example.com');
    expect(step.run.trim().split('\n')).toEqual([
      'curl -fsS "$BERTH_URL/cli/berth.mjs" -o "$RUNNER_TEMP/berth.mjs"',
      'node "$RUNNER_TEMP/berth.mjs" deploy shop/web --commit "$GITHUB_SHA" --wait',
    ]);
    expect(out).not.toMatch(/npx|npm/);
  },
);

it('gitlab gets a pipeline that does', async () => {
  const { out } = await setup('gitlab', 'shop/web', ...https);
  const { script, variables } = parse(out).deploy;
  expect(variables.BERTH_URL).toBe('https://berth.example.com');
  expect(script[0]).toContain('curl -fsS "$BERTH_URL/cli/berth.mjs"');
});

it('is an object only where JSON was asked for', async () => {
  const { out } = await setup('github', 'shop/web', '--json', ...https);
  expect(JSON.parse(out)).toMatchObject({ forge: 'github', path: '.github/workflows/deploy.yml' });
});

it('compares the program where the address is plain http, and refuses without a digest', async () => {
  const plain = ['--runner-url', 'http://192.0.2.7:3000'];
  expect(await setup('github', 'shop/web', ...plain)).toMatchObject({
    code: 2,
    out: '',
    said: expect.stringContaining('plain http'),
  });
  const digest = 'ab'.repeat(32);
  const { out } = await setup('github', 'shop/web', ...plain, '--sha256', digest);
  expect(parse(out).jobs.deploy.steps.at(-1).run).toContain(
    `echo "${digest}  $RUNNER_TEMP/berth.mjs" | sha256sum --check`,
  );
});

it('warns of an address that leads a runner to itself', async () => {
  const { code, said } = await setup('github', 'shop/web');
  expect(code).toBe(0);
  expect(said).toContain(`Runners do not reach ${server.url}`);
});
