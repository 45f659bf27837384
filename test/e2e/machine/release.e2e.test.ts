/**
 * A release on a bare machine: unpacked, verified, set up without a build and without a registry of npm. Its
 * seconds are printed, to be read beside those of bin/up from a checkout (up.e2e.test.ts).
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { version } from '../../../cli/version.ts';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import type { BedHost } from '../../bed/host/host.ts';
import { curl, parseResult, type Run } from '../fixtures/bare-machine.ts';
import { releaseArchive, releasedName } from './release-archive.ts';

const unpacked = `/opt/${releasedName}`;
let host: BedHost;

beforeAll(async () => {
  const bed = await bedOfRun();
  host = await bed.host('release', { index: 24, root: 'bare', images: true });
  await releaseArchive(host, '/opt');
  // A release needs neither: that of the machine would hide it.
  const node = ['/usr/bin/node', '/usr/bin/npm', '/usr/bin/npx', '/usr/lib/node_modules'];
  await host.exec(['rm', '-rf', ...node, '/root/.npmrc']);
  const done = await host.exec(['tar', '-C', '/opt', '-xzf', `/opt/${releasedName}.tar.gz`]);
  if (done.code !== 0) throw new Error(done.stderr);
}, 300_000);
afterAll(() => host.kill());

async function inRelease(...argv: [string, ...string[]]): Promise<Run> {
  const started = Date.now();
  const done = await host.exec(argv, { cwd: unpacked, limitMs: 600_000 });
  return { ...done, text: `${done.stdout}${done.stderr}`, ms: Date.now() - started };
}

it('is refused with a changed byte, before anything is changed', async () => {
  const file = 'dist/setup/up.js';
  await inRelease('cp', file, '/tmp/kept');
  await inRelease('bash', '-c', `printf ' ' >> ${file}`);
  const run = await inRelease('bin/up', '--example');
  expect(run.code).toBe(1);
  expect(run.stderr).toContain(`${file}: FAILED`);
  expect(run.stderr).toContain('nothing was run');
  expect((await host.exec(['ls', '-A', '/var/lib/berth'])).stdout).toBe('');
  await inRelease('cp', '/tmp/kept', file);
});

it('is set up without a build, npm or Node.js of the machine', async () => {
  const run = await inRelease('bin/up', '--example', '--json');
  console.log(`bin/up --example from a release: ${(run.ms / 1000).toFixed(1)} s`);
  expect(run.text).toMatch(/every file as it was released … yes/);
  expect(run.text).not.toMatch(/^(Dependencies|Build|Packages|Dashboard)/m);
  expect(run.code).toBe(0);
  const result = parseResult(run.stdout.trimEnd().split('\n').at(-1) ?? '');
  await host.exec(['apt-get', 'install', '-y', '-q', '--no-install-recommends', 'curl'], {
    limitMs: 120_000,
  });
  expect((await curl(host, result.exampleUrl)).body).toContain('Hello from Berth');
  const dashboard = await curl(host, '--header', 'Accept: text/html', `${result.url}/`);
  expect(dashboard.body).toMatch(/<script[^>]+src="/);
}, 600_000);

it('has its command line', async () => {
  const run = await inRelease('bin/berth', 'version');
  expect(run).toMatchObject({ code: 0 });
  expect(run.stdout).toContain(version);
});

it('refuses to call itself signed by the key of Berth, since this one is not', async () => {
  const run = await inRelease('bin/verify-release');
  expect(run.code).toBe(1);
  expect(run.stderr).toContain("is not the signature of SHA256SUMS by the key of Berth's releases");
});
