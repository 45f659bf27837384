/**
 * Every word as a person sees it in a terminal (tmux) of 80 and of 140 columns, recorded into the guide:
 * the program as it is packed, on answers that are always the same. The guide must show what is printed:
 * `BERTH_RECORD=1 npx vitest run --project system cli/recording.test.ts` writes it anew.
 */
import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAnsweringServer, type AnsweringServer } from '../test/answering-server.ts';
import { runBerth } from '../test/command-line.ts';
import { now, projectsOf, recordedAnswers } from '../test/recorded-answers.ts';
import { ofThisRun } from '../test/run/mode.ts';
import { openTerminal, type Reply } from '../test/terminal.ts';
import { packageCommandLine } from '../tools/package/command-line.ts';
import { widthOf } from './output/printable.ts';
import { words } from './words/words.ts';

const page = join(import.meta.dirname, '../docs/guide/command-line-session.md');
const widths = [80, 140] as const;

const isSure: readonly Reply[] = [[/\(yes\/no\) \[no\]$/, 'yes']];

/** In an order that a person might type them in. */
const session: readonly (readonly [string, (readonly Reply[])?])[] = [
  ['deploy', [[/Name of the service \[web\]$/, 'web']]],
  ['deploy'],
  ['eject --help'],
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
  ['apply', isSure],
  ['export shop --output shop.yml'],
  ['import compose old.yml --output moved.yml'],
  ['import compose old.yml --check'],
  ['import templates catalogue'],
  ['templates'],
  ['template create ./templates/status shop/status --no-wait'],
  ['template create status'],
  ['template catalogues'],
  ['template catalogue add Ours https://git.example.com/acme/templates.git'],
  ['template catalogue refresh Ours'],
  ['template catalogue remove Ours'],
  ['template create wiki shop/wiki --catalogue Ours --no-wait'],
  ['template updates'],
  ['template update --help'],
  ['secret set shop/web STRIPE_KEY', [[/STRIPE_KEY:$/, 'sk_live_1']]],
  ['domains shop/web'],
  ['domains add shop.example.com shop/web'],
  ['domains check shop.example.com'],
  ['domains records shop.example.com shop/web --yes'],
  ['domains records --base apps.example.com --plan'],
  ['base-domain'],
  ['base-domain shop.example.com --project shop'],
  ['previews shop/web'],
  ['preview databases shop/web'],
  ['preview create checkout shop/web --branch feature/checkout --no-wait'],
  ['preview remove 41 shop/web'],
  ['preview waiting shop/web'],
  ['preview approve 44 shop/web --commit da15608 --no-wait'],
  ['db create postgres shop/orders --image postgres:18'],
  ['db create postgres shop/db'],
  ['db connect shop/db'],
  ['db query --help'],
  ['db statements --help'],
  ['db backup shop/db'],
  ['db backups shop/db'],
  ['db cancel shop/db'],
  ['backup coverage'],
  ['destination key Offsite'],
  ['db recovery shop/db'],
  ['db restore-at shop/db 2026-02-27T14:03:07Z', isSure],
  ['db branch shop/db --name test --expires 72'],
  ['db restore shop/db', isSure],
  ['db undo shop/db --volume shop-db-former', isSure],
  ['db copy shop/db --from postgresql://ann:secret@old.example.com/shop', isSure],
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
  ['cleanup unknown'],
  ['cleanup unfinished'],
  ['cleanup remove shop-former-4f2a', isSure],
  ['cleanup others --server fsn-1'],
  ['cleanup give-up inc-7hq2', isSure],
  ['cleanup volumes'],
  ['cleanup use-volume berth-4f2a-data shop/web', isSure],
  ['cleanup remove-volume berth-4f2a-data', isSure],
  ['server add 203.0.113.7 --name paris', [[/\[Enter\]$/, '']]],
  ['server add 203.0.113.20'],
  ['server add'],
  ['server add 203.0.113.7 --port 99999'],
  ['server forget fsn-1', isSure],
  ['members'],
  ['ci setup github shop/web'],
  ['mcp < /dev/null'],
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
/** Where tmux is; empty where it is not installed. */
const tmux = execFileSync('sh', ['-c', 'command -v tmux || true']).toString().trim();

let server: AnsweringServer;
let isMade = false;
beforeAll(async () => {
  server = await startAnsweringServer({
    ...recordedAnswers,
    'project.all': () => projectsOf(isMade ? [orders] : []),
    'project.one': () => projectsOf(isMade ? [orders] : [])[0],
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

/** What a home has: the folder of a shop, and the packed program with a clock that stands still. */
async function makeHome(): Promise<string> {
  // As long everywhere: lines are broken where they are recorded.
  const home = await mkdtemp('/tmp/berth-ann-');
  const program = join(home, 'program');
  await packageCommandLine(program);
  const bin = join(home, 'bin');
  await Promise.all([mkdir(bin), mkdir(join(home, 'web/catalogue'), { recursive: true })]);
  const clock = `data:text/javascript,Date.now=()=>${now}`;
  const start = `#!/bin/bash\nexec '${process.execPath}' --import '${clock}' '${program}/berth.mjs' "$@"\n`;
  const files = {
    'bin/berth': start,
    'bin/edit': '#!/bin/bash\ntext=$(<"$1")\necho "${text/blue/teal}" >"$1"\n',
    'web/Dockerfile': 'FROM node:24\nCOPY . .\nCMD ["node", "."]\n',
    'web/old.yml': 'services:\n  cache:\n    image: redis:7\n    ports: ["6379:6379"]\n',
    'web/catalogue/status.yml':
      '# slogan: Watches sites.\n# documentation: https://status.example.com\n# tags: watch\n# port: 3001\n' +
      'services:\n  status:\n    image: status:2.1.0\n    environment:\n      - SERVICE_URL_STATUS\n' +
      '      - SECRET=$SERVICE_PASSWORD_STATUS\n    exclude_from_hc: true\n',
    'web/.env': 'NODE_ENV=production\nCOLOR=red\n',
    'web/.gitignore': '.env\n',
  };
  for (const [path, content] of Object.entries(files)) await writeFile(join(home, path), content);
  for (const name of ['berth', 'edit']) await chmod(join(bin, name), 0o755);
  await symlink(tmux, join(bin, 'tmux'));
  return home;
}

/** Group of what was typed and shown, and each command whose answer is wider than the terminal. */
async function record(columns: number): Promise<{ text: string; wide: string[] }> {
  const home = await makeHome();
  const folder = join(home, 'web');
  isMade = false;
  try {
    // No other program than these is found: no psql, no browser.
    const environment = { HOME: home, PATH: join(home, 'bin'), TERM: 'tmux-256color', LANG: 'C.UTF-8' };
    const signedIn = { BERTH_URL: server.url, BERTH_API_KEY: 'key', EDITOR: 'edit' };
    await using terminal = await openTerminal({
      columns,
      folder,
      environment: { ...environment, ...signedIn },
    });
    for (const [line, replies] of session) {
      // Later than the deploys, which would apply it.
      if (line === 'plan') await writeFile(join(folder, 'berth.yml'), berthFile);
      await terminal.command(`berth ${line}`, replies);
    }
    const shown = (await terminal.shown()).trimEnd().split('\n').slice(0, -1);
    return { text: stable(shown.join('\n'), home), wide: shown.filter((line) => widthOf(line) > columns) };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Without what differs from run to run; the other address is as long. */
function stable(text: string, home: string): string {
  return text
    .replaceAll(server.url, 'https://my.example.com')
    .replaceAll(home, '/home/ann')
    .replaceAll(/[ \t]+$/gm, '')
    .replaceAll(/as \d+ B, in/g, 'as 148 B, in');
}

const head = `# The command line, word by word

What a terminal (tmux) shows where each word is typed, once with 80 and once with 140 columns. A test types
the same and holds this page against it; the answers are those of a shop that was written down.
[The command line](command-line.md) says what the words are for.
`;

const partsOf = (text: string): string[] => text.split(/^(?=## At )/m);

test.runIf(tmux !== '')(
  'the guide shows what every word prints, at both widths',
  async () => {
    const recorded = [head];
    // The ordinary run takes one of them: a word that prints something new differs at both.
    for (const columns of ofThisRun(widths, widths.length)) {
      const { text, wide } = await record(columns);
      // A call without a recorded answer would stand in the guide as what a person sees.
      expect(text).not.toContain('Nothing was written down');
      expect(wide).toEqual([]);
      recorded.push(`## At ${columns} columns\n\n\`\`\`console\n${text}\n\`\`\`\n`);
    }
    if (process.env['BERTH_RECORD']) await writeFile(page, recorded.join('\n'));
    const parts = partsOf(await readFile(page, 'utf8')).map((part) => part.trimEnd());
    expect(parts).toHaveLength(1 + widths.length);
    for (const part of recorded) {
      const [title = ''] = part.split('\n');
      expect(parts.find((one) => one.startsWith(title))).toBe(part.trimEnd());
    }
  },
  900_000,
);

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

test('a restore that failed, and a former state that was not put back, are not called done', async () => {
  const failed = [
    { type: 'line', text: 'The object is damaged.' },
    { type: 'end', outcome: 'error' },
  ];
  await using other = await startAnsweringServer({
    ...recordedAnswers,
    'project.all': () => projectsOf([]),
    'backup.restoreBackupWithLogs': failed,
    'backup.runLogs': failed,
  });
  const environment = { HOME: tmpdir(), BERTH_URL: other.url, BERTH_API_KEY: 'key' };
  for (const [line, says] of [
    ['db restore shop/db --yes', 'Not restored: shop/db has what it had.'],
    ['db undo shop/db --volume shop-db-former --yes', 'Not put back: shop/db has what it had.'],
  ] as const) {
    const ran = await runBerth(line.split(' '), { environment, folder: tmpdir(), columns: 80 });
    expect(ran.code, line).toBe(1);
    expect(ran.out, line).toContain(says);
    expect(ran.out, line).not.toMatch(/^(Restored|Put back)/m);
  }
});
