import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseGitUrl } from '../../domain/git/git-source.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import { createGitEnvironment, gitConfig } from './environment.ts';
import { sshConfig } from './ssh-config.ts';

const proxy = new Secret('http://berth:abc@127.0.0.1:1');
const helper =
  `!f() { test \\"$1\\" = get || exit 0; ` +
  `printf 'username=%s\\\\npassword=%s\\\\n' \\"$BERTH_GIT_USERNAME\\" \\"$BERTH_GIT_PASSWORD\\"; }; f`;

test('the settings of an https source with credentials', () => {
  expect(gitConfig(parseGitUrl('https://git.example.com:8443/o/r'), true, proxy)).toBe(`[core]
 hooksPath = /dev/null
 fsmonitor = false
 symlinks = true
 askPass = /bin/false
[protocol]
 allow = never
[protocol "https"]
 allow = always
[protocol "ssh"]
 allow = always
[credential]
 helper =
[fetch]
 unpackLimit = 1
[gc]
 auto = 0
[maintenance]
 auto = false
[advice]
 detachedHead = false
[init]
 defaultBranch = berth
[submodule]
 recurse = false
[safe]
 bareRepository = explicit
[http]
 lowSpeedLimit = 1
 lowSpeedTime = 60
 proxy = http://berth:abc@127.0.0.1:1
 proxyAuthMethod = basic
[credential "https://git.example.com:8443"]
 helper = "${helper}"
`);
});

test('no source is given the file protocol for all of its calls', () => {
  for (const url of ['git@host:r', '/srv/r'])
    expect(gitConfig(parseGitUrl(url), false, proxy)).not.toContain('[protocol "file"]');
});

test('only a source without encryption may use http, and its credentials go to it alone', () => {
  expect(gitConfig(parseGitUrl('https://host/r'), false, proxy)).not.toContain('"http"');
  const plain = gitConfig(parseGitUrl('http://host:3000/r'), true, proxy);
  expect(plain).toContain('[protocol "http"]\n allow = always');
  expect(plain).toContain('[credential "http://host:3000"]');
});

test('ssh connects to what was judged, and nowhere else', () => {
  expect(
    sshConfig([
      { host: 'Git.example', port: undefined, address: '192.0.2.1' },
      { host: 'forge', port: '2222', address: '2001:db8::1' },
    ]),
  ).toBe(`Host Git.example git.example
 HostName 192.0.2.1
 HostKeyAlias Git.example
 CheckHostIP no
 ProxyCommand none
Host forge
 HostName 2001:db8::1
 HostKeyAlias [forge]:2222
 CheckHostIP no
 ProxyCommand none
Host *
 ProxyCommand exec /bin/false
`);
});

test('the key is a private file for the time of the run', async () => {
  const scratchRoot = await mkdtemp(join(tmpdir(), 'git-environment-'));
  try {
    const access = { sshKey: new Secret('-----BEGIN X-----\r\nabc\r\n-----END X-----') };
    {
      await using environment = await createGitEnvironment(parseGitUrl('git@host:r'), access, {
        scratchRoot,
        knownHostsPath: '/k',
        proxy,
      });
      const key = join(environment.scratchDirectory, 'key');
      expect(await readFile(key, 'utf8')).toBe('-----BEGIN X-----\nabc\n-----END X-----\n');
      expect((await stat(key)).mode & 0o777).toBe(0o600);
      expect((await stat(environment.scratchDirectory)).mode & 0o777).toBe(0o700);
      expect(environment.env['GIT_SSH_COMMAND']).not.toContain(environment.scratchDirectory);
    }
    expect(await readdir(scratchRoot)).toEqual([]);
  } finally {
    await rm(scratchRoot, { recursive: true, force: true });
  }
});
