import { expect, test } from 'vitest';
import { parseGitUrl } from '../../domain/git/git-source.ts';
import { gitFailure, submoduleFailure, wantsFullFetch } from './failures.ts';

const https = parseGitUrl('https://git.example/o/r');
const ssh = parseGitUrl('git@git.example:o/r');

// What git 2.39 and OpenSSH 9.2 print.
test.each([
  [https, ["fatal: couldn't find remote ref refs/heads/x"], 'NOT_FOUND', 'has no branch or tag "x"'],
  [
    https,
    ["fatal: could not read Username for 'https://git.example': terminal prompts disabled"],
    'NOT_FOUND',
    'needs a user and token',
  ],
  [
    https,
    ["fatal: repository 'https://git.example/o/r/' not found"],
    'NOT_FOUND',
    'There is no repository at https://git.example/o/r',
  ],
  [
    https,
    ['remote: HTTP Basic: Access denied', "fatal: Authentication failed for 'https://git.example/o/r/'"],
    'PRECONDITION_FAILED',
    'refused the user name and password',
  ],
  [
    https,
    ["fatal: unable to access 'https://git.example/': Could not resolve host: git.example"],
    'SERVICE_UNAVAILABLE',
    'is not known',
  ],
  [
    https,
    [
      "fatal: unable to access 'https://git.example/': Failed to connect to git.example port 443 after " +
        "1 ms: Couldn't connect to server",
    ],
    'SERVICE_UNAVAILABLE',
    'does not answer',
  ],
  [
    https,
    ["fatal: unable to access 'https://git.example/': SSL certificate problem: self-signed certificate"],
    'PRECONDITION_FAILED',
    'certificate',
  ],
  [
    ssh,
    ['@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @', 'Host key verification failed.'],
    'PRECONDITION_FAILED',
    'host key of git.example',
  ],
  [
    ssh,
    ['git@git.example: Permission denied (publickey).', 'fatal: Could not read from remote repository.'],
    'PRECONDITION_FAILED',
    'refused the SSH key',
  ],
  [
    ssh,
    ['Load key "/x/key": error in libcrypto', 'git@git.example: Permission denied (publickey).'],
    'PRECONDITION_FAILED',
    'cannot be read',
  ],
  [
    ssh,
    ["fatal: '/o/r' does not appear to be a git repository", 'fatal: Could not read from remote repository.'],
    'NOT_FOUND',
    'needs a key',
  ],
  [
    ssh,
    ['ssh: connect to host git.example port 22: Connection refused'],
    'SERVICE_UNAVAILABLE',
    'does not answer',
  ],
  [
    ssh,
    ['ssh: Could not resolve hostname git.example: Name or service not known'],
    'SERVICE_UNAVAILABLE',
    'is not known',
  ],
  [
    https,
    ['fatal: write error: No space left on device', 'fatal: fetch-pack: invalid index-pack output'],
    'PRECONDITION_FAILED',
    'disk of this server filled up',
  ],
  [https, ['fatal: something new', 'more'], 'SERVICE_UNAVAILABLE', 'failed: git says "something new".'],
  [https, [], 'SERVICE_UNAVAILABLE', 'git gave no reason.'],
])('%o %j', (source, lines, code, sentence) => {
  expect(gitFailure(lines, { source, wanted: 'branch or tag "x"', hasKey: true })).toMatchObject({
    code,
    message: expect.stringContaining(sentence),
  });
});

test('a submodule is named', () => {
  const lines = [
    "fatal: repository 'https://git.example/lib/' not found",
    "fatal: clone of 'https://git.example/lib' into submodule path '/x/out/lib' failed",
  ];
  expect(submoduleFailure(lines).message).toContain(
    'The submodule at https://git.example/lib could not be fetched: git says ' +
      `"repository 'https://git.example/lib/' not found". Check its address`,
  );
});

test('servers that give no single commits', () => {
  expect(
    wantsFullFetch([`error: Server does not allow request for unadvertised object ${'a'.repeat(40)}`]),
  ).toBe(true);
  expect(wantsFullFetch(['fatal: dumb http transport does not support shallow capabilities'])).toBe(true);
  expect(wantsFullFetch(["fatal: couldn't find remote ref refs/heads/x"])).toBe(false);
});

test.each([
  'no space left on device',
  'Host key verification failed.',
  "couldn't find remote ref refs/heads/x",
  'Load key "/k": invalid format',
  'git@other.example: Permission denied (publickey).',
  'Could not resolve host: ldap.example',
  'certificate problem',
  'Connection refused',
  "transport 'ext' not allowed",
  'mismatched algorithms',
])('what the other side says of itself ("%s") is not taken for this side', (words) => {
  const asked = { source: https, wanted: 'branch or tag "x"', hasKey: false };
  expect(
    gitFailure([`remote: ${words}`, 'fatal: the remote end hung up unexpectedly'], asked).message,
  ).toContain('Fetching the source from https://git.example/o/r failed: git says "');
});
