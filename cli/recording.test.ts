/**
 * What every word prints, letter by letter, at 80 and at 140 columns, of answers that are always the same.
 * `BERTH_RECORD=1 npx vitest run --project unit cli/recording.test.ts` writes it anew. The guide has the same of a
 * real terminal (test/e2e/command/session.e2e.test.ts).
 */
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAnsweringServer, type AnsweringServer } from '../test/answering-server.ts';
import { runBerth, type Ran } from '../test/command-line.ts';
import { now, projectsOf, recordedAnswers } from '../test/recorded-answers.ts';
import { widthOf } from './output/printable.ts';
import { words } from './words/words.ts';

const recording = join(import.meta.dirname, 'recording.txt');
const widths = [80, 140] as const;

/** In an order that a person might type them in. */
const session: readonly (readonly [string, { types?: readonly string[]; stdin?: string }?])[] = [
  ['deploy', { types: ['web', 'shop'] }],
  ['deploy'],
  ['status'],
  ['ps shop/web'],
  ['history shop/web'],
  ['logs shop/web shop/db --tail 3'],
  ['logs shop/web --grep pay --times'],
  ['open shop/web --print'],
  ['redeploy'],
  ['rollback shop/web'],
  ['restart shop/web'],
  ['stop shop/web'],
  ['start shop/web'],
  ['scale shop/web 3'],
  ['move shop/web --to fsn-1'],
  ['move shop/web --to paris'],
  ['run shop/web -- npm run migrate'],
  ['exec shop/web -- node --version'],
  ['shell shop/web'],
  ['forward --help'],
  ['env get shop/web'],
  ['env get shop/web COLOR'],
  ['env set shop/web COLOR=green REGION=eu --restart'],
  ['env unset shop/web COLOR'],
  ['env import shop/web'],
  ['env diff shop/web'],
  ['env edit shop/web'],
  ['plan'],
  ['apply', { types: ['yes'] }],
  ['export shop --output shop.yml'],
  ['import compose old.yml --output moved.yml'],
  ['secret set shop/web STRIPE_KEY', { stdin: 'sk_live_1\n' }],
  ['domains shop/web'],
  ['domains add shop.example.com shop/web'],
  ['domains check shop.example.com'],
  ['previews shop/web'],
  ['db create postgres shop/orders --image postgres:18'],
  ['db create postgres shop/db'],
  ['db connect shop/db'],
  ['db backup shop/db'],
  ['db backups shop/db'],
  ['db restore shop/db', { types: ['yes'] }],
  ['db copy shop/db --from postgresql://ann:secret@old.example.com/shop', { types: ['yes'] }],
  ['whoami'],
  ['use shop'],
  ['link shop/staging/web'],
  ['projects'],
  ['servers'],
  ['cluster nodes fsn-1'],
  ['cluster join fsn-2 --to fsn-1'],
  ['cluster drain fsn-2'],
  ['cluster activate fsn-2'],
  ['cluster promote fsn-2'],
  ['cluster demote fsn-2'],
  ['cluster leave fsn-2'],
  ['cluster remove fsn-2'],
  ['server add 203.0.113.7 --name paris'],
  ['server add 203.0.113.20'],
  ['server add'],
  ['server add 203.0.113.7 --port 99999'],
  ['members'],
  ['ci setup github shop/web'],
  ['mcp', { stdin: '' }],
  ['completion'],
  ['stauts'],
  ['logs shop/wbe'],
  ['help scale'],
  ['help deploy'],
];

const orders = {
  postgresId: 'orders-id',
  name: 'orders',
  appName: 'orders-9c3e5d',
  applicationStatus: 'done',
};
let server: AnsweringServer;
let isMade = false;
let home: string;
beforeAll(async () => {
  server = await startAnsweringServer({
    ...recordedAnswers,
    'project.all': () => projectsOf(isMade ? [orders] : []),
    'postgres.create': () => {
      isMade = true;
      return { postgresId: orders.postgresId };
    },
    'application.one': ({ applicationId }: { applicationId: string }) => ({
      ...Object(recordedAnswers['application.one']),
      applicationId,
      name: applicationId.replace('-id', ''),
      appName: `${applicationId}-k3x9a1`,
      description: '',
      applicationStatus: 'done',
      replicas: 1,
      pendingChanges: [],
      mounts: [],
      ports: [],
      domains: [
        {
          https: true,
          host: 'shop.example.com',
          path: '/',
          port: 3e3,
          certificateType: 'acme',
        },
      ],
      deployments: [
        {
          deploymentId: 'd3Zk8fWq2LmN',
          status: 'done',
        },
      ],
    }),
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const berthFile = `project: shop
services:
  web:
    kind: application
    replicas: 3
    variables: { NODE_ENV: production, COLOR: green, STRIPE_KEY: { secret: true } }
    domains:
      - { host: shop.example.com, port: 3000, https: true, certificateType: acme }
      - { host: www.shop.example.com, port: 3000, https: true, certificateType: acme }
  worker:
    kind: application
`;

async function record(columns: number): Promise<{ text: string; ran: Map<string, Ran> }> {
  home = await mkdtemp(join(tmpdir(), 'berth-recording-'));
  const folder = join(home, 'web');
  await mkdir(folder);
  await writeFile(join(folder, 'Dockerfile'), 'FROM node:24\nCOPY . .\nCMD ["node", "."]\n');
  await writeFile(
    join(folder, 'old.yml'),
    'services:\n  cache:\n    image: redis:7\n    ports: ["6379:6379"]\n',
  );
  await writeFile(join(folder, '.env'), 'NODE_ENV=production\nCOLOR=red\n');
  await writeFile(join(folder, '.gitignore'), '.env\n');
  const environment = { HOME: home, BERTH_URL: server.url, BERTH_API_KEY: 'key', NO_COLOR: '1' };
  const ran = new Map<string, Ran>();
  isMade = false;
  let text = '';
  try {
    for (const [line, { types, stdin } = {}] of session) {
      const shown = {
        columns,
        now: () => now,
        ...(types === undefined ? {} : { types }),
        ...(stdin === undefined ? {} : { stdin }),
      };
      // Later than the deploys, which would apply it.
      if (line === 'plan') await writeFile(join(folder, 'berth.yml'), berthFile);
      const one = await runBerth(line.split(' '), { environment, folder, ...shown });
      ran.set(line, one);
      text += `$ berth ${line}\n${one.said}${one.out}\n`;
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
  return { text: stable(text, folder), ran };
}

/** Without what differs from machine to machine. */
function stable(text: string, folder: string): string {
  return text
    .replaceAll(server.url, 'https://berth.example.com')
    .replaceAll(folder, '/home/ann/web')
    .replaceAll(/as \d+ B, in \d+\.\d s/g, 'as 148 B, in 0.0 s')
    .replaceAll(/(Sent in|Deployed \S+ in) \d+\.\d s/g, '$1 0.3 s');
}

test('every word prints what was recorded, at both widths', async () => {
  const recorded: string[] = [];
  for (const columns of widths) {
    const { text, ran } = await record(columns);
    // A call without a recorded answer would stand in the guide as what a person sees.
    expect(text).not.toContain('Nothing was written down');
    recorded.push(`# At ${columns} columns\n\n${text.trimEnd()}\n`);
    const tables = [...ran].filter(
      ([line, { out, code }]) => /^[A-Z]/.test(out) && code === 0 && !/^(help|ci) /.test(line),
    );
    const wide = tables.filter(([, { out }]) => Math.max(...out.split('\n').map(widthOf)) > columns);
    expect(wide.map(([line]) => line)).toEqual([]);
  }
  const fresh = recorded.join('\n');
  if (process.env['BERTH_RECORD']) await writeFile(recording, fresh);
  expect(await readFile(recording, 'utf8')).toBe(fresh);
});

test('no word is left out of the recording', () => {
  const lines = session.map(([line]) => line);
  const missing = words.filter(
    ({ name, hidden }) => !hidden && !lines.some((line) => line === name || line.startsWith(`${name} `)),
  );
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test.each<[string, number]>([
  ['status', 0],
  ['domains check shop.example.com', 1],
  ['env diff shop/web', 1],
  ['env get shop/web NOTHING', 1],
  ['scale shop/web many', 2],
  ['db restore shop/db', 2],
  ['db create postgres shop/db', 2],
  ['status --url http://127.0.0.1:1 --key k', 3],
])('berth %s in a pipe ends with %i, and its answer is JSON or nothing', async (line, code) => {
  const environment = { HOME: tmpdir(), BERTH_URL: server.url, BERTH_API_KEY: 'key' };
  const folder = await mkdtemp(join(tmpdir(), 'berth-pipe-'));
  await writeFile(join(folder, '.env'), 'COLOR=red\n');
  const ran = await runBerth(line.split(' '), { environment, folder });
  await rm(folder, { recursive: true });
  expect(ran.code).toBe(code);
  expect(() => JSON.parse(ran.out || 'null') as unknown).not.toThrow();
});

test('a database that did not start is given no address to connect to', async () => {
  let made: readonly object[] = [];
  const failed = { ...Object(recordedAnswers['deployment.one']), status: 'error', errorMessage: 'No image.' };
  await using other = await startAnsweringServer({
    ...recordedAnswers,
    'project.all': () => projectsOf(made),
    'postgres.create': () => {
      made = [orders];
      return { postgresId: orders.postgresId };
    },
    'deployment.one': failed,
    'deployment.logs': [
      { type: 'line', text: 'Failed: No image.' },
      { type: 'end', outcome: 'error' },
    ],
  });
  const environment = { HOME: tmpdir(), BERTH_URL: other.url, BERTH_API_KEY: 'key' };
  const ran = await runBerth('db create postgres shop/orders'.split(' '), {
    environment,
    folder: tmpdir(),
    columns: 80,
  });
  expect(ran.code).toBe(1);
  expect(ran.said.match(/No image/g)).toHaveLength(1);
  expect(ran.said + ran.out).not.toContain('postgresql://');
});
