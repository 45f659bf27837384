/**
 * Every word in a terminal, on a real Berth: the program as it is packed, in tmux. The guide shows what was seen;
 * `BERTH_RECORD=1 npx vitest run --project command test/e2e/command/session.e2e.test.ts` writes it anew, at both
 * widths.
 */
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
import { until } from '../fixtures/workshop.ts';
import { sessionOf, type Session } from './session.ts';
import { openTerminal } from './terminal.ts';

const page = join(import.meta.dirname, '../../../docs/guide/command-line-session.md');
const isRecorded = Boolean(process.env['BERTH_RECORD']);
const widths = isRecorded ? [80, 140] : [80];

const servers = ['paris', 'london'];

let berth: BerthHost;
let machines: BedHost[];
let place: string;
let session: Session;
const recorded = new Map<number, string>();

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'berth-session-'));
  await packageCommandLine(join(place, 'program'));
  await mkdir(join(place, 'bin'));
  await symlink(join(place, 'program/berth.mjs'), join(place, 'bin/berth'));
  await symlink(process.execPath, join(place, 'bin/node'));
  const bed = await bedOfRun();
  [berth, ...machines] = await Promise.all([
    berthHost(bed, 'session', 39),
    ...servers.map((name, at) => bed.host(name, { index: 86 + at, engine: true, sshd: true })),
  ]);
  await berth.call('settings.update', { serverIp: berth.host.ip, sharedImages: ['berth/'] });
  await Promise.all(servers.map((name, at) => setUp(name, machines[at])));
  await berth.call('destination.create', { name: 'nightly', provider: 'local', path: '/srv/backups' });
  session = sessionOf({ url: berth.url, ...owner, paris: machines[0]?.ip ?? '' });
}, 900_000);
afterAll(async () => {
  await Promise.all([berth.host, ...machines].map((host) => host.kill()));
  if (isRecorded && recorded.size === widths.length) await writePage();
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
async function newHome(columns: number): Promise<{ home: string; folder: string }> {
  const home = join(place, `ann-${columns}`);
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

interface ProjectView {
  projectId: string;
  environments: {
    applications: { applicationId: string }[];
    postgres: { postgresId: string }[];
  }[];
}

async function removeProjects(): Promise<void> {
  for (const { projectId, environments } of await berth.call<ProjectView[]>('project.all')) {
    for (const { applications, postgres } of environments) {
      for (const { applicationId } of applications) await berth.call('application.delete', { applicationId });
      for (const { postgresId } of postgres) await berth.call('postgres.remove', { postgresId });
    }
    await berth.call('project.remove', { projectId });
  }
}

it.each(widths)(
  'every word does what it says in a terminal of %i columns',
  async (columns) => {
    await removeProjects();
    const { home, folder } = await newHome(columns);
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
    const text: string[] = [];
    const otherwise: unknown[] = [];
    let before = 0;
    for (const [group, lines] of session) {
      for (const { line, replies, ends = 0 } of lines) {
        const code = await terminal.command(line, replies).catch(sentenceOf);
        if (code !== ends) otherwise.push([line, code]);
      }
      const shown = (await terminal.shown()).trimEnd().split('\n');
      text.push(`### ${group}\n\n\`\`\`console\n${shown.slice(before, -1).join('\n')}\n\`\`\`\n`);
      before = shown.length - 1;
    }
    expect(otherwise, await terminal.shown()).toEqual([]);
    recorded.set(columns, text.join('\n').replaceAll(/[ \t]+$/gm, ''));
  },
  1_200_000,
);

it('no word is left out', () => {
  const lines = session.flatMap(([, of]) => of.map(({ line }) => line));
  const missing = words
    .filter(({ name, hidden }) => !hidden && !lines.some((line) => RegExp(`berth ${name}( |$)`).test(line)))
    .map(({ name }) => name);
  expect(missing).toEqual([]);
});

async function writePage(): Promise<void> {
  const parts = [...recorded].map(([columns, text]) => `## At ${columns} columns\n\n${stable(text)}`);
  await writeFile(page, `${head}\n${parts.join('\n')}`);
}

const head = `# The command line, word by word

Recorded in a terminal (tmux, once with 80 and once with 140 columns) against a Berth with an engine, a proxy and a
database. A test types the same and holds how each command ends. [The command line](command-line.md) says what the words
are for.
`;

/** With addresses that are nobody's, as long as those of the run. */
function stable(text: string): string {
  return [berth.host, ...machines].reduce((so, { ip }, at) => {
    const other = documentationAddress(ip.length, at);
    return so.replaceAll(ip, other).replaceAll(ip.replaceAll('.', '-'), other.replaceAll('.', '-'));
  }, text);
}

const documentationAddress = (letters: number, at: number): string =>
  letters < 11 ? `192.0.2.${10 + at}`.slice(0, letters) : `203.0.113.${10 ** (letters - 11) + at}`;
