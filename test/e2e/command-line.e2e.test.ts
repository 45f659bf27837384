/** The words of the command line on a real Berth, engine and proxy: from a folder to an answering address. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { runBerth, type Ran } from '../command-line.ts';
import { berthHost, type BerthHost } from './berth-host.ts';
import type { Files } from './repository.ts';
import { tinyFiles } from './sources.ts';

let berth: BerthHost;
let home: string;

beforeAll(async () => {
  berth = await berthHost(await bedOfRun(), 'command', 38);
  await berth.call('settings.update', { serverIp: berth.host.ip });
  home = await mkdtemp(join(tmpdir(), 'berth-command-'));
});
afterAll(async () => {
  await rm(home, { recursive: true, force: true });
  await berth.host.kill();
});

async function folderOf(name: string, files: Files): Promise<string> {
  const folder = join(home, name);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

function at(
  folder: string,
  argv: string[],
  more: { types?: readonly string[]; columns?: number } = {},
): Promise<Ran> {
  const environment = {
    HOME: home,
    BERTH_URL: berth.url,
    BERTH_API_KEY: berth.signed()['x-api-key'],
    NO_COLOR: '1',
  };
  return runBerth(argv, { environment, folder, ...more });
}

async function answerOf({ out }: Ran): Promise<string> {
  const { url } = JSON.parse(out) as { url: string };
  return (await berth.proxied(new URL(url).host)).body.trim();
}

describe('berth deploy', () => {
  let site: string;

  it('brings a folder with a Dockerfile to an address that answers, asked for name and project', async () => {
    site = await folderOf('my site', { ...tinyFiles('one'), '.dockerignore': 'notes\n', notes: 'kept here' });
    // Kept on the way, or the build could not run it.
    await chmod(join(site, 'busybox'), 0o755);
    const ran = await at(site, ['deploy', '--json'], { types: ['web', 'shop'], columns: 100 });
    expect(ran, ran.said).toMatchObject({ code: 0 });
    expect(ran.said).toMatch(/Name of the service \[my-site\] web\nProject \[web\] shop\n/);
    expect(ran.said).toMatch(
      /── Building with dockerfile[\s\S]+build took \d+\.\d s[\s\S]+Deployed shop\/web in /,
    );
    expect(await answerOf(ran)).toBe('one');
  });

  it('asks nothing the second time, and shows the change', async () => {
    await writeFile(join(site, 'www/index.html'), 'two');
    const ran = await at(site, ['deploy', '--json'], { types: [], columns: 100 });
    expect(ran).toMatchObject({ code: 0, said: expect.not.stringContaining('Name of') });
    expect(await answerOf(ran)).toBe('two');
  });

  it('brings a static folder to an address, with nobody there to ask', async () => {
    const ran = await at(await folderOf('pages', { 'index.html': 'hello' }), ['deploy', '--wait']);
    expect(ran).toMatchObject({ code: 0 });
    expect(await answerOf(ran)).toBe('hello');
    expect(JSON.parse(ran.out)).toMatchObject({ service: 'shop/pages', status: 'done' });
  });

  it('ends with 1 and the reason when the build fails', async () => {
    const files = { Dockerfile: 'FROM scratch\nCOPY missing /\n' };
    const ran = await at(await folderOf('broken', files), ['deploy', 'shop/broken']);
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.out)).toMatchObject({ status: 'error', errorMessage: expect.any(String) });
  });

  it('goes back, runs a command, scales, restarts with a variable, and tells all of it', async () => {
    const back = await at(site, ['rollback']);
    expect(back, back.said).toMatchObject({ code: 0 });
    expect(await answerOf(back)).toBe('one');
    const echo = ['run', 'web', '--', '/bin/busybox', 'sh', '-c', 'echo hi; exit 7'];
    expect(await at(site, echo)).toMatchObject({ code: 7, out: 'hi\n' });
    expect(await at(site, ['scale', '2'])).toMatchObject({ code: 0 });
    expect(await at(site, ['env', 'set', 'COLOR=blue', '--restart'])).toMatchObject({ code: 0 });
    expect(JSON.parse((await at(site, ['ps', 'web'])).out)).toEqual(
      expect.arrayContaining([expect.objectContaining({ state: 'running' })]),
    );
    const status = await at(site, ['status', '--table'], { columns: 120 });
    expect(status.out).toMatch(
      /^SERVICE +KIND +STATUS[\s\S]+shop\/broken +application +error[\s\S]+1 of 3 need/,
    );
    expect((await at(site, ['history', '--table'], { columns: 120 })).out).toMatch(/rollback|Rollback|done/);
    expect(await at(site, ['logs', 'web', 'pages', '--tail', '5'])).toMatchObject({ code: 0 });
    expect(await at(site, ['stop', 'web', 'pages'])).toMatchObject({ code: 0 });
    expect(await at(site, ['start', 'web'])).toMatchObject({ code: 0 });
  });
});
