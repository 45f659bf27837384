import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseGitUrl } from '../../domain/git-source.ts';
import { Secret } from '../../domain/secret.ts';
import { createGitEnvironment, gitConfig } from './environment.ts';

test('the settings of an https source with credentials', () => {
  expect(gitConfig(parseGitUrl('https://git.example.com:8443/o/r'), true)).toBe(`[core]
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
[protocol "file"]
 allow = never
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
[credential "https://git.example.com:8443"]
 helper = "!f() { test \\"$1\\" = get || exit 0; printf 'username=%s\\\\npassword=%s\\\\n' \\"$BERTH_GIT_USERNAME\\" \\"$BERTH_GIT_PASSWORD\\"; }; f"
`);
});

test('only a local source may use the file protocol', () => {
  expect(gitConfig(parseGitUrl('git@host:r'), false)).toContain('[protocol "file"]\n allow = never');
  expect(gitConfig(parseGitUrl('/srv/r'), false)).toContain('[protocol "file"]\n allow = always');
});

test('the key is a private file for the time of the run', async () => {
  const scratchRoot = await mkdtemp(join(tmpdir(), 'git-environment-'));
  try {
    const access = { sshKey: new Secret('-----BEGIN X-----\r\nabc\r\n-----END X-----') };
    {
      await using environment = await createGitEnvironment(parseGitUrl('git@host:r'), access, {
        scratchRoot,
        knownHostsPath: '/k',
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
