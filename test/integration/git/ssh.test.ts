import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { Secret } from '../../../server/src/domain/secrets/secret.ts';
import { createGitFixture, makeRepository } from './git-fixture.ts';
import type { GitFixture } from './git-fixture.ts';

const { s1: host, sshKeyPath } = inject('servers');
const folder = `/srv/git-test-${process.pid}`;
const ssh = [
  '-F',
  '/dev/null',
  '-i',
  sshKeyPath,
  '-o',
  'StrictHostKeyChecking=no',
  '-o',
  'UserKnownHostsFile=/dev/null',
  '-o',
  'LogLevel=ERROR',
  `root@${host.ip}`,
];
let fixture: GitFixture;
let commit = '';
let sshKey: Secret;
beforeAll(() => {
  fixture = createGitFixture();
  sshKey = new Secret(readFileSync(sshKeyPath, 'utf8'));
  commit = makeRepository(join(fixture.folder, 'r.git'), { 'a.txt': 'a' });
  const archive = execFileSync('tar', ['-C', fixture.folder, '--owner=0', '--group=0', '-c', 'r.git']);
  execFileSync('ssh', [...ssh, `mkdir -p ${folder} && tar -C ${folder} -x`], {
    input: archive,
    timeout: 60_000,
  });
});
afterAll(() => {
  execFileSync('ssh', [...ssh, `rm -rf ${folder}`], { timeout: 60_000 });
  fixture[Symbol.dispose]();
});
beforeEach(() => {
  fixture.lines.splice(0);
  writeFileSync(fixture.knownHostsPath, '');
});

test('both forms of address, with a key, whose host is remembered', async () => {
  expect(await fixture.checkout({ url: `ssh://root@${host.ip}${folder}/r.git`, sshKey })).toMatchObject({
    commit,
    subject: 'First',
  });
  expect(readFileSync(fixture.knownHostsPath, 'utf8')).toContain(host.hostKey.split(' ')[1]);
  expect(
    (
      await fixture.checkout({
        url: `root@${host.ip}:${folder}/r.git`,
        sshKey: new Secret(sshKey.reveal().replaceAll('\n', '\r\n').trim()),
      })
    ).commit,
  ).toBe(commit);
  expect(
    (await fixture.checkout({ url: `ssh://root@${host.ip}:22${folder}/r.git`, sshKey }, { commit })).commit,
  ).toBe(commit);
});

test('another host key than before is refused', async () => {
  const other = join(fixture.folder, 'other-host');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', other]);
  writeFileSync(fixture.knownHostsPath, `${host.ip} ${readFileSync(`${other}.pub`, 'utf8')}`);
  await expect(
    fixture.checkout({ url: `ssh://root@${host.ip}${folder}/r.git`, sshKey }),
  ).rejects.toMatchObject({
    message: expect.stringContaining(`The host key of ${host.ip} is not the one it had before`),
  });
});

test('no key, a wrong key and a damaged key have their sentences', async () => {
  const wrong = join(fixture.folder, 'wrong');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', wrong]);
  const locked = join(fixture.folder, 'locked');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'passphrase', '-f', locked]);
  const url = `ssh://root@${host.ip}${folder}/r.git`;
  await expect(fixture.checkout({ url })).rejects.toMatchObject({
    message: expect.stringContaining('requires an SSH key'),
  });
  await expect(
    fixture.checkout({ url, sshKey: new Secret(readFileSync(wrong, 'utf8')) }),
  ).rejects.toMatchObject({ message: expect.stringContaining('refused the SSH key') });
  for (const damaged of [sshKey.reveal().slice(0, 120), 'nonsense', readFileSync(locked, 'utf8')]) {
    await expect(fixture.checkout({ url, sshKey: new Secret(damaged) })).rejects.toMatchObject({
      message: expect.stringContaining('The SSH key cannot be read'),
    });
  }
});

test('what is not there has its sentence', async () => {
  await expect(
    fixture.checkout({ url: `ssh://root@${host.ip}${folder}/none.git`, sshKey }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('There is no repository') });
  await expect(
    fixture.checkout({ url: `ssh://root@${host.ip}${folder}/r.git`, branch: 'none', sshKey }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('no branch or tag "none"') });
  await expect(
    fixture.checkout({ url: `ssh://root@${host.ip}:2222${folder}/r.git`, sshKey }),
  ).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

test('shell text in an address reaches nothing', async () => {
  await expect(
    fixture.checkout({ url: `root@${host.ip}:${folder}/$(touch\${IFS}/owned);touch\${IFS}/owned`, sshKey }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(execFileSync('ssh', [...ssh, 'ls /'], { encoding: 'utf8', timeout: 60_000 })).not.toContain('owned');
});
