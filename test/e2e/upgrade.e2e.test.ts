/**
 * Upgrade of Berth: the previous commit's data is taken over, and a new version that does not come up leaves
 * the old one as it was.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { repositoryRoot } from '../../images/build-context.ts';
import { runCommand } from '../../images/command.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { copyCheckout } from '../bed/host/checkout.ts';
import type { BedHost } from '../bed/host/host.ts';
import { bareMachine, checkout, curl, runInCheckout, upWithExample } from './fixtures/bare-machine.ts';
import type { UpResult } from './fixtures/bare-machine.ts';
import { callsOf } from './fixtures/berth-host.ts';
import { upgradedServices, type UpgradedServices } from './lives/upgraded.ts';
import { modeOf } from '../run/mode.ts';

let host: BedHost;
let first: UpResult;
let services: UpgradedServices;

/** Of all kinds, that run while Berth is upgraded. */
const count = modeOf().isLong ? 30 : 8;
if (modeOf().isLong) vi.setConfig({ testTimeout: 900_000 });

beforeAll(async () => {
  const bed = await bedOfRun();
  host = await bareMachine(bed, 'upgrade', {
    index: 21,
    images: true,
    dependencies: true,
    root: 'equipped',
    revision: await previousRevision(),
  });
});
afterAll(() => host.kill());

/**
 * The commit before this one, or the one that is asked for, when it holds a Berth that can be started; else
 * the working tree, whose version is then changed below.
 */
async function previousRevision(): Promise<string | undefined> {
  const revision = process.env['BERTH_TEST_UPGRADE_FROM'] ?? 'HEAD~1';
  const holds = async (path: string): Promise<boolean> =>
    (
      await runCommand(['git', '-C', repositoryRoot, 'cat-file', '-e', `${revision}:${path}`], {
        limitMs: 10_000,
      })
    ).code === 0;
  return (await holds('bin/up')) && (await holds('server/src/main.ts')) ? revision : undefined;
}

/** Replaces the text of one file of the checkout, which must be there. */
async function patch(file: string, from: string | RegExp, to: string): Promise<void> {
  const script = `const fs = require('fs');
    const [file, from, to] = process.argv.slice(1);
    const text = fs.readFileSync(file, 'utf8');
    const changed = text.replace(new RegExp(from), () => to);
    if (changed === text) throw new Error('nothing to replace in ' + file);
    fs.writeFileSync(file, changed);`;
  const source = typeof from === 'string' ? from.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&') : from.source;
  const done = await host.exec(['node', '--eval', script, `${checkout}/${file}`, source, to]);
  if (done.code !== 0) throw new Error(done.stderr);
}

/** None of these services was restarted, by the reconciler either, which has been round since. */
async function expectSameTasks(before: readonly string[]): Promise<void> {
  await services.reconciled();
  expect(await services.tasks()).toEqual(before);
  await services.answer();
}

/** Asks the database, as it lies on the machine, with the Node of the running release. */
async function tables(): Promise<string[]> {
  const script = `const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync('/var/lib/berth/berth.sqlite', { readOnly: true });
    const found = database.prepare("select name from sqlite_schema where type = 'table'").all();
    console.log(JSON.stringify(found.map(({ name }) => name)));`;
  const answer = await host.exec(['/var/lib/berth/current/node', '--eval', script]);
  return JSON.parse(answer.stdout);
}

async function expectEverythingAnswers(): Promise<void> {
  const user = await curl(host, '--header', `x-api-key: ${first.apiKey}`, `${first.url}/api/user.get`);
  expect(JSON.parse(user.body)).toMatchObject({ email: first.email });
  const page = await curl(host, first.exampleUrl);
  expect(page.body).toContain('Hello from Berth');
}

it('takes over the data of the previous commit, and restarts no service of any kind', async () => {
  const before = await upWithExample(host);
  first = before.result;
  const berth = { host, ...callsOf(`http://${host.ip}:${new URL(first.url).port}`, () => first.apiKey) };
  services = await upgradedServices({ berth, host }, count);
  const tasks = await services.tasks();
  await host.exec([
    'find',
    checkout,
    '-mindepth',
    '1',
    '-maxdepth',
    '1',
    '!',
    '-name',
    'node_modules',
    '-exec',
    'rm',
    '-rf',
    '{}',
    '+',
  ]);
  await copyCheckout(host, checkout);
  const { run, result } = await upWithExample(host);
  console.log(`upgrade from the previous commit: ${(run.ms / 1000).toFixed(1)} s`);
  expect(result).toEqual(first);
  await expectEverythingAnswers();
  await expectSameTasks(tasks);
});

it('puts the old version and its database back when the new one migrates and then fails', async () => {
  const before = await tables();
  await host.exec(['cp', '-a', `${checkout}/server`, '/opt/good-server']);
  await patch(
    'server/src/db/migrations.ts',
    /\n\];\n/,
    '\n  { version: 1000, name: \'of the upgrade test\', sql: \'CREATE TABLE "upgrade_test" ("id" TEXT ' +
      "PRIMARY KEY);' },\n];\n",
  );
  await patch(
    'server/src/db/storage.ts',
    'await migrate(database, now())',
    "await migrate(database, now()).then(() => { throw new Error('broken on purpose'); })",
  );
  const run = await runInCheckout(host, ['bin/up', '--example', '--json']);
  console.log(`failed upgrade and the way back: ${(run.ms / 1000).toFixed(1)} s`);
  expect(run.code).toBe(1);
  expect(run.text).toContain('broken on purpose');
  expect(run.text).toMatch(
    /The version before it \(.*\) runs and answers again; the database was put back from .*before-/,
  );
  expect(await tables()).toEqual(before);
  await expectEverythingAnswers();
});

it('puts the old version back when the new one never answers', async () => {
  await host.exec(['bash', '-c', `rm -rf ${checkout}/server && cp -a /opt/good-server ${checkout}/server`]);
  await patch(
    'server/src/start.ts',
    'const berth = await createBerth',
    "console.log('about to hang');\nawait new Promise((resolve) => setTimeout(resolve, 1e9));\n" +
      'const berth = await createBerth',
  );
  const run = await runInCheckout(host, ['env', 'BERTH_HEALTH_LIMIT=10', 'bin/up']);
  expect(run.code).toBe(1);
  expect(run.text).toContain('did not answer health within');
  expect(run.text).toContain('about to hang');
  expect(run.text).toContain('runs and answers again; the database had not been changed');
  await expectEverythingAnswers();
});

it('upgrades to other defaults without one failed request or another task', async () => {
  await host.exec(['bash', '-c', `rm -rf ${checkout}/server && cp -a /opt/good-server ${checkout}/server`]);
  await patch(
    'server/src/ports/engine/spec-defaults.ts',
    /\n\];\n/,
    '\n  { init: false, restartDelayMs: 2000, sysctls: {}, pids: 1000, ' +
      "logging: { driver: 'json-file', options: { 'max-size': '1m' } } },\n];\n",
  );
  const before = await services.tasks();
  await patch('package.json', /"version": "[^"]+"/, '"version": "99.0.0"');
  const requests = askEvery100Ms();
  const run = await runInCheckout(host, ['bin/up']);
  const { asked, failed } = await requests.stop();
  expect(run.text).toMatch(/upgraded from \S+; version 99\.0\.0/);
  expect(asked).toBeGreaterThanOrEqual(5);
  expect(failed).toEqual([]);
  await expectSameTasks(before);
  const releases = await host.exec(['ls', '/var/lib/berth/releases']);
  expect(releases.stdout.trim().split('\n').length).toBeLessThanOrEqual(3);
});

/** Asks the example from this machine through the proxy's port until stopped. */
function askEvery100Ms(): { stop(): Promise<{ asked: number; failed: string[] }> } {
  const failed: string[] = [];
  let asked = 0;
  let goesOn = true;
  const loop = (async () => {
    while (goesOn) {
      asked += 1;
      const page = await curl(host, first.exampleUrl);
      if (page.status !== 200) failed.push(`${page.status} ${page.body.slice(0, 200)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return {
    async stop() {
      goesOn = false;
      await loop;
      return { asked, failed };
    },
  };
}
