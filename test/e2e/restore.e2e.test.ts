/** bin/up --restore: a bare machine becomes the Berth that a backup was made of. */
import { copyFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Bed } from '../bed/bed.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import type { BedHost } from '../bed/host/host.ts';
import { bareMachine, checkout, curl } from './fixtures/bare-machine.ts';
import { berthHost } from './fixtures/berth-host.ts';
import { output } from './fixtures/workshop.ts';

const passphrase = 'correct horse "battery" $(staple)';
const secret = 'SECRET=only-the-key-opens-this';
let bed: Bed;
let bare: BedHost;
/** The names in the backup, and in how many of its lines the key stands. */
let listed = '';
let keyLines = '';

beforeAll(async () => {
  bed = await bedOfRun();
  bare = await bareMachine(bed, 'restored', {
    index: 25,
    images: true,
    dependencies: true,
    root: 'equipped',
  });
  const berth = await berthHost(bed, 'backed-up', 26);
  try {
    const { project } = await berth.call<{ project: { projectId: string } }>('project.create', {
      name: 'Kept',
    });
    await berth.call('project.update', { projectId: project.projectId, env: secret });
    const { destinationId } = await berth.call<{ destinationId: string }>('destination.create', {
      name: 'disk',
      provider: 'local',
      path: '/srv/berth-backups',
    });
    await berth.call('installationBackup.set', { destinationId, passphrase });
    await berth.call('installationBackup.run');
    const path = await output(berth.host, 'find', '/srv/berth-backups', '-type', 'f');
    listed = await output(berth.host, 'tar', '--list', '--gzip', '--file', path);
    const key = await output(berth.host, 'cat', '/var/lib/docker/berth-data/berth.key');
    keyLines = (
      await berth.host.exec(['sh', '-c', `gunzip -c "$0" | grep -c -a -F -- "$1"`, path, key])
    ).stdout.trim();
    await copyFile(berth.host.path(path), bare.path('/root/berth.tar.gz'));
  } finally {
    await berth.host.kill();
  }
}, 300_000);
afterAll(() => bare.kill());

const up = (input: string, ...words: string[]) =>
  bare.exec(['bin/up', ...words], { cwd: checkout, limitMs: 600_000, input });

it('a backup of Berth has the key only sealed', () => {
  expect(listed.split('\n')).toEqual(['berth-backup.json', 'berth.key.sealed', 'berth.sqlite']);
  expect(keyLines).toBe('0');
});

describe('bin/up --restore', () => {
  it('changes nothing without a file, with a damaged one, or with another passphrase', async () => {
    expect(await up('', '--restore', '/root/none.tar.gz')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no file /root/none.tar.gz'),
    });
    await output(bare, 'sh', '-c', 'head -c 2000 /root/berth.tar.gz > /root/cut.tar.gz');
    expect(await up(`${passphrase}\n`, '--restore', '/root/cut.tar.gz')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not a complete backup of Berth'),
    });
    expect(await up('another passphrase\n', '--restore', '/root/berth.tar.gz')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The passphrase is not the one'),
    });
    expect(await up('', '--restore', '/root/berth.tar.gz')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No passphrase was given'),
    });
    expect((await bare.exec(['sh', '-c', 'ls /var/lib/berth | grep -E "sqlite|key|restore-"'])).stdout).toBe(
      '',
    );
  });

  it('brings the Berth of the backup back, its secrets included', async () => {
    const started = Date.now();
    const run = await up(`${passphrase}\n`, '--restore', '/root/berth.tar.gz');
    console.log(`bin/up --restore on a bare machine: ${((Date.now() - started) / 1000).toFixed(1)} s`);
    expect(run, run.stdout + run.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('database and key file are back'),
    });
    const signIn = await curl(
      bare,
      '--cookie-jar',
      '/root/jar',
      '--json',
      JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery' }),
      'http://127.0.0.1:3000/api/auth/sign-in/email',
    );
    expect(signIn.status).toBe(200);
    const projects = await curl(bare, '--cookie', '/root/jar', 'http://127.0.0.1:3000/api/project.all');
    expect(JSON.parse(projects.body)).toMatchObject([{ name: 'Kept', env: secret }]);
    expect(await output(bare, 'stat', '--format', '%a', '/var/lib/berth/berth.key')).toBe('600');
  }, 900_000);

  it('never writes over data that is there', async () => {
    expect(await up(`${passphrase}\n`, '--restore', '/root/berth.tar.gz')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already has a Berth'),
    });
  });
});
