/**
 * A machine as it is rented, with bash, git and curl: bin/up from nothing, and a person's first commands. On
 * Debian 13 in each run (bin/up on a bare Debian 12 is in up.e2e.test.ts), on 12 and on unstable in one that
 * leaves nothing out.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import type { BedHost } from '../../bed/host/host.ts';
import { systemOfRun, systems } from '../../bed/host/systems.ts';
import { isWhole } from '../../run/mode.ts';
import {
  bareMachine,
  checkout,
  curl,
  runInCheckout,
  upWithExample,
  type Run,
  type UpResult,
} from '../fixtures/bare-machine.ts';

const name = systemOfRun();
const system = systems[name];

describe.skipIf(name !== 'trixie' && !isWhole())(`${system.title}, with bash, git and curl`, () => {
  let host: BedHost;
  let result: UpResult;

  beforeAll(async () => {
    host = await bareMachine(await bedOfRun(), 'fresh-machine', { index: 26, images: name !== 'sid' });
  });
  afterAll(() => host.kill());

  /** A word of the command line, with the key that bin/up printed. */
  const berth = (...words: string[]): Promise<Run> =>
    runInCheckout(host, [
      'env',
      `BERTH_URL=${result.url}`,
      `BERTH_API_KEY=${result.apiKey}`,
      'bin/berth',
      ...words,
    ]);

  it('has nothing of what Berth needs', async () => {
    for (const program of ['node', 'npm', 'wget', 'dockerd', 'docker', 'ip', 'ps', 'rclone'])
      expect([program, (await host.exec(['sh', '-c', `command -v ${program}`])).code]).toEqual([
        program,
        127,
      ]);
  });

  it('bin/up --example brings it to an example that answers', { timeout: 900_000 }, async () => {
    const up = await upWithExample(host);
    ({ result } = up);
    console.log(`bin/up --example on ${system.title}: ${(up.run.ms / 1000).toFixed(1)} s, rc ${up.run.code}`);
    expect(up.run.stdout).toContain(`version ${system.engine.version}.`);
    expect(await curl(host, result.exampleUrl)).toMatchObject({
      status: 200,
      body: expect.stringContaining('Hello from Berth'),
    });
  });

  it('bin/berth works with what bin/up installed', async () => {
    const help = await runInCheckout(host, ['bin/berth', 'help']);
    expect([help.code, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toContain('Deploy and look');
    const status = await berth('status', '--json');
    expect([status.code, status.stderr]).toEqual([0, '']);
  });

  it('deploys a folder, tells of it and goes back', { timeout: 400_000 }, async () => {
    const site = '/root/site';
    const page = (text: string): Promise<unknown> =>
      host.exec(['sh', '-c', `mkdir -p ${site} && printf %s "$1" >${site}/index.html`, 'sh', text]);
    const deploy = async (): Promise<Run> => {
      const done = await host.exec(
        [
          'env',
          `BERTH_URL=${result.url}`,
          `BERTH_API_KEY=${result.apiKey}`,
          `${checkout}/bin/berth`,
          'deploy',
          'shop/web',
        ],
        { cwd: site, limitMs: 300_000 },
      );
      return { ...done, text: `${done.stdout}${done.stderr}`, ms: 0 };
    };
    await page('the first page');
    const first = await deploy();
    expect([first.code, first.text]).toEqual([0, expect.any(String)]);
    const added = await berth('domains', 'add', 'web.localhost', 'shop/web', '--http');
    expect([added.code, added.text]).toEqual([0, expect.any(String)]);
    await expect
      .poll(async () => (await curl(host, 'http://web.localhost/')).body, { timeout: 60_000 })
      .toContain('the first page');
    const history = await berth('history', 'shop/web', '--json');
    expect(JSON.parse(history.stdout)).toHaveLength(1);
    expect((await berth('logs', 'shop/web')).code).toBe(0);
  });

  it('bin/up again takes seconds, and bin/down stops what it started', { timeout: 400_000 }, async () => {
    const again = await upWithExample(host);
    expect(again.result).toEqual(result);
    const down = await runInCheckout(host, ['bin/down']);
    expect(down.code).toBe(0);
  });
});
