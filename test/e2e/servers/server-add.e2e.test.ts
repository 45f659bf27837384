/** A bare machine with sshd becomes a server by one word of the command line. */
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import type { BedHost } from '../../bed/host/host.ts';
import { runBerth, type Ran } from '../../command-line.ts';
import { berthHost, type BerthHost } from '../fixtures/berth-host.ts';

let berth: BerthHost;
let bare: BedHost;
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'berth-server-add-'));
  const bed = await bedOfRun();
  [bare, berth] = await Promise.all([
    bed.host('bare', { index: 91, root: 'reached', sshd: true }),
    berthHost(bed, 'base', 92),
  ]);
  await berth.call('settings.update', { sharedImages: ['berth/'] });
});
afterAll(async () => {
  await Promise.all([bare, berth.host].map((host) => host.kill()));
  await rm(home, { recursive: true });
});

const add = (...more: string[]): Promise<Ran> =>
  runBerth(['server', 'add', bare.ip, '--name', 'added', '--json', ...more], {
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
  console.log(`one word made it a server in ${Math.round((performance.now() - began) / 1000)} s`);
  expect(second.said).toContain('added already exists; continuing with it.');
  expect(second.said).toMatch(/── connect[\s\S]*── engine[\s\S]*── probe/);
  expect(JSON.parse(second.out)).toMatchObject({ name: 'added', setupStatus: 'done' });
  expect(await berth.call('server.all')).toMatchObject([{ name: 'added', status: 'active' }]);
});
