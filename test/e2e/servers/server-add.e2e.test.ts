/** A bare machine with sshd becomes a server by one word of the command line. */
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import type { BedHost } from '../../bed/host/host.ts';
import { runBerth, type Ran } from '../../command-line.ts';
import { berthHost, throughProxy, type BerthHost } from '../fixtures/berth-host.ts';
import { until } from '../fixtures/applications.ts';

let berth: BerthHost;
let bare: BedHost;
let home: string;
let tookMs = 0;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'berth-server-add-'));
  const bed = await bedOfRun();
  [bare, berth] = await Promise.all([
    bed.host('bare', { index: 91, root: 'reached', images: true, sshd: true }),
    berthHost(bed, 'base', 92),
  ]);
  await berth.call('settings.update', { sharedImages: ['berth/'] });
});
afterAll(async () => {
  await Promise.all([bare, berth.host].map((host) => host.kill()));
  await rm(home, { recursive: true });
});

const add = (...more: string[]): Promise<Ran> =>
  berthWord('server', 'add', bare.ip, '--name', 'added', '--json', ...more);

const berthWord = (...words: string[]): Promise<Ran> =>
  runBerth(words, {
    environment: {
      HOME: home,
      BERTH_URL: berth.url,
      BERTH_API_KEY: berth.signed()['x-api-key'],
    },
    folder: home,
    stdin: '',
  });

it('its key is printed, and the same command again sets it up', async () => {
  const first = await add();
  expect(first.code).not.toBe(0);
  const line = /^ssh-ed25519 \S+$/m.exec(first.said)?.[0] ?? '';
  await appendFile(bare.path('/run/bed/authorized_keys'), `${line}\n`);
  const began = performance.now();
  const second = await add();
  expect(second.code, second.said).toBe(0);
  tookMs = performance.now() - began;
  console.log(`one word made it a server in ${Math.round(tookMs / 1000)} s`);
  expect(second.said).toContain('added already exists; continuing with it.');
  expect(second.said).toMatch(/── connect[\s\S]*── engine[\s\S]*── probe/);
  expect(JSON.parse(second.out)).toMatchObject({ name: 'added', setupStatus: 'done' });
  expect(await berth.call('server.all')).toMatchObject([{ name: 'added', status: 'active' }]);
});

it('by the second command an application with a domain answers from it', async () => {
  const began = performance.now();
  const project = ['--project', 'shop', '--server', 'added', '--json'];
  const ran = await berthWord('deploy', 'front', '--image', 'berth/caddy:2.11', '--port', '80', ...project);
  expect(ran.code, ran.said).toBe(0);
  const host = /Its address is http:\/\/([^/\s]+?)\.?\s/.exec(ran.said)?.[1] ?? '';
  expect(host).toContain(bare.ip.replaceAll('.', '-'));
  await until('it answers', async () => (await answer(host))?.status === 200, 60_000);
  tookMs += performance.now() - began;
  console.log(`two commands took ${Math.round(tookMs / 1000)} s, from a bare machine to an answer`);
});

const answer = (host: string) => throughProxy(bare.ip, host).catch(() => undefined);
