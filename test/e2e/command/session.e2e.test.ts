/** Every word in a terminal (tmux) on a real Berth, with two servers: the program as it is packed. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { words } from '../../../cli/words/words.ts';
import { sentenceOf } from '../../../server/src/domain/errors.ts';
import { packageCommandLine } from '../../../tools/package/command-line.ts';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import type { BedHost } from '../../bed/host/host.ts';
import { berthHost, owner, type BerthHost } from '../fixtures/berth-host.ts';
import { nodeFiles } from '../fixtures/sources.ts';
import { until } from '../fixtures/applications.ts';
import { sessionOf, type Session } from './session.ts';
import { openTerminal } from '../../terminal.ts';

const columns = 80;
const servers = ['paris', 'london'];

let berth: BerthHost;
let machines: BedHost[];
let place: string;
let session: Session;

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'berth-session-'));
  await packageCommandLine(join(place, 'program'));
  await mkdir(join(place, 'bin'));
  await symlink(join(place, 'program/berth.mjs'), join(place, 'bin/berth'));
  await symlink(process.execPath, join(place, 'bin/node'));
  const bed = await bedOfRun();
  [berth, ...machines] = await Promise.all([
    berthHost(bed, 'session', 39),
    ...servers.map((name, at) => bed.host(name, { index: 86 + at, engine: true, images: true, sshd: true })),
  ]);
  await berth.call('settings.update', { serverIp: berth.host.ip, sharedImages: ['berth/'] });
  await Promise.all(servers.map((name, at) => setUp(name, machines[at])));
  await berth.call('destination.create', { name: 'nightly', provider: 'local', path: '/srv/backups' });
  session = sessionOf({ url: berth.url, ...owner, paris: machines[0]?.ip ?? '' });
}, 900_000);
afterAll(async () => {
  await Promise.all([berth.host, ...machines].map((host) => host.kill()));
  await rm(place, { recursive: true, force: true });
});

/** A machine as a server of Berth's. */
async function setUp(name: string, machine: BedHost | undefined): Promise<void> {
  if (!machine) throw new Error(`There is no machine for ${name}.`);
  const { sshKeyId } = await berth.call<{ sshKeyId: string }>('sshKey.create', {
    name,
    publicKey: await readFile(`${machine.sshKeyPath}.pub`, 'utf8'),
    privateKey: await readFile(machine.sshKeyPath, 'utf8'),
  });
  const record = { name, ipAddress: machine.ip, port: 22, username: 'root', serverType: 'deploy', sshKeyId };
  const { serverId } = await berth.call<{ serverId: string }>('server.create', record);
  await berth.call('server.setup', { serverId });
  const isDone = async (): Promise<boolean> =>
    (await berth.call('server.one', { serverId }))['setupStatus'] === 'done';
  await until(`${name} is set up`, isDone, 400_000);
}

/** A home with the folder of a small shop. */
async function newHome(): Promise<{ home: string; folder: string }> {
  const home = join(place, 'ann');
  const folder = join(home, 'web');
  const files = {
    ...nodeFiles('1'),
    'old.yml': 'services:\n  cache:\n    image: redis:7\n    ports: ["6379:6379"]\n',
    '.env': 'COLOR=red\n',
    '.gitignore': '.env\n',
  };
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return { home, folder };
}

it('every word does what it says', async () => {
  const { home, folder } = await newHome();
  await using terminal = await openTerminal({
    columns,
    folder,
    environment: {
      HOME: home,
      PATH: `${join(place, 'bin')}:/usr/bin:/bin`,
      LANG: 'C.UTF-8',
      TERM: 'tmux-256color',
    },
  });
  const otherwise: unknown[] = [];
  for (const { line, replies, ends = 0 } of session.flatMap(([, lines]) => lines)) {
    const code = await terminal.command(line, replies).catch(sentenceOf);
    if (code !== ends) otherwise.push([line, code]);
  }
  expect(otherwise, await terminal.shown()).toEqual([]);
}, 1_200_000);

it('no word is left out', () => {
  const lines = session.flatMap(([, of]) => of.map(({ line }) => line));
  const missing = words
    .filter(({ name, hidden }) => !hidden && !lines.some((line) => RegExp(`berth ${name}( |$)`).test(line)))
    .map(({ name }) => name);
  expect(missing).toEqual([]);
});
