import { expect, test } from 'vitest';
import { cpuMs } from '../../../../test/cpu-time.ts';
import { buildFailure, failures, hints, outOfMemory } from './failures.ts';

// What the engine's BuildKit 20.10 and newer ones print.
test.each([
  [
    'failed to solve with frontend dockerfile.v0: failed to create LLB definition: failed to do ' +
      'request: Head "https://registry.example/v2/library/nosuch/manifests/1": dial tcp: lookup ' +
      'registry.example: no such host',
    'SERVICE_UNAVAILABLE',
    'The base image library/nosuch:1 cannot be pulled, since its registry registry.example does not answer',
  ],
  [
    'failed to do request: Head "https://10.98.0.11:5999/v2/x/manifests/1": dial tcp 10.98.0.11:5999: ' +
      'connect: connection refused',
    'SERVICE_UNAVAILABLE',
    'its registry 10.98.0.11:5999 does not answer',
  ],
  [
    'failed to solve: nosuch:1: pull access denied, repository does not exist or may require ' +
      'authorization: server message: insufficient_scope: authorization failed',
    'NOT_FOUND',
    'The base image nosuch:1 does not exist',
  ],
  [
    'failed to solve with frontend dockerfile.v0: failed to create LLB definition: target stage nope ' +
      'could not be found',
    'BAD_REQUEST',
    'no stage named nope',
  ],
  [
    'failed to solve with frontend dockerfile.v0: failed to create LLB definition: dockerfile parse ' +
      'error line 1: unknown instruction: FRUM',
    'BAD_REQUEST',
    'cannot be read: dockerfile parse error line 1',
  ],
  [
    'failed to solve with frontend dockerfile.v0: failed to create LLB definition: the Dockerfile ' +
      'cannot be empty',
    'BAD_REQUEST',
    'cannot be read: the Dockerfile cannot be empty',
  ],
  ['failed to compute cache key: "/nothere" not found: not found', 'BAD_REQUEST', 'copies /nothere'],
  [
    'failed to solve: failed to compute cache key: failed to calculate checksum of ref x::y: ' +
      '"/nothere": not found',
    'BAD_REQUEST',
    'copies /nothere',
  ],
  ['secret TOKEN not found: not found', 'BAD_REQUEST', 'needs the build secret TOKEN'],
  ['failed to solve: secret TOKEN: not found', 'BAD_REQUEST', 'needs the build secret TOKEN'],
  [
    'Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?',
    'SERVICE_UNAVAILABLE',
    'engine does not answer',
  ],
  ['unexpected EOF', 'SERVICE_UNAVAILABLE', 'engine ended the build'],
  [
    'failed to receive status: rpc error: code = Unavailable desc = error reading from server: EOF',
    'SERVICE_UNAVAILABLE',
    'engine ended the build',
  ],
  ['#5 0.2 sh: unexpected EOF', 'PRECONDITION_FAILED', 'The build failed with exit code 1'],
  ['ERROR: failed to copy: write /x: no space left on device', 'PRECONDITION_FAILED', 'disk of the server'],
  ['#7 ERROR: "/root.lock" not found: not found', 'BAD_REQUEST', 'copies /root.lock'],
  ['something else', 'PRECONDITION_FAILED', 'The build failed with exit code 1: something else'],
])('%s', (line, code, sentence) => {
  expect(buildFailure(['#1 [internal] load build definition', line], 1)).toMatchObject({
    code,
    message: expect.stringContaining(sentence),
  });
});

test.each([
  'executor failed running [/bin/sh -c npm ci && exit 3]: exit code: 3',
  'ERROR: failed to solve: process "/bin/sh -c npm ci && exit 3" did not complete successfully: exit code: 3',
])('a failing step is named: %s', (last) => {
  const lines = ['#5 0.1 oops', '------', ' > [2/2] RUN npm ci && exit 3:', '------', last];
  expect(buildFailure(lines, 1).message).toBe(
    'The build failed: the step "RUN npm ci && exit 3" ended with exit code 3; its output is in the log.',
  );
});

test('out of memory names step and limit', () => {
  expect(outOfMemory([' > [2/2] RUN node big.js:', '------'], 128 * 1024 * 1024).message).toContain(
    'the step "RUN node big.js" was killed at the limit of 128 MiB',
  );
});

test('a huge output costs no time', () => {
  const lines = ['executor failed running [', 'failed to do request: Head "https://', 'x: '].map((text) =>
    text.repeat(20_000),
  );
  expect(cpuMs(() => buildFailure(lines, 1))).toBeLessThan(2000);
});

// For each row of the table, and each hint, words that match it.
const wordsOfRows = [
  'write /x: no space left on device',
  'Cannot connect to the Docker daemon, 3 tests failed',
  'unexpected EOF',
  'failed to do request: Head "https://registry.example/v2/library/nosuch/manifests/1": dial tcp: timeout',
  'target stage nope could not be found',
  'dockerfile parse error line 4: unknown instruction: RUNN',
  'vault: secret abc not found',
  'failed to compute cache key: "/nothere" not found: not found',
  'nosuch:1: pull access denied, repository does not exist',
];
const wordsOfHints = [
  'sh: 1: vite: not found',
  'disk quota exceeded',
  'npm ERR! getaddrinfo ENOTFOUND npm.example',
  'Cannot connect to the Docker daemon at unix:///var/run/docker.sock',
  'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
];

test('each row of the failures and each hint is tried', () => {
  for (const { pattern } of failures) expect(wordsOfRows.some((words) => pattern.test(words))).toBe(true);
  for (const { pattern } of hints) expect(wordsOfHints.some((words) => pattern.test(words))).toBe(true);
});

const saidByPrograms = [
  ...wordsOfRows,
  ...wordsOfHints,
  'x: not found',
  'yarn: not found',
  'process "/bin/sh -c x" did not complete successfully: exit code: 99',
  'executor failed running [/bin/sh -c x]: exit code: 99',
];
const endings = {
  'BuildKit 20.10': (step: string) => [
    `#9 ERROR: executor failed running [/bin/sh -c ${step}]: exit code: 5`,
    '------',
    ` > [4/4] RUN ${step}:`,
    '#9 1.2 the end',
    '------',
    `executor failed running [/bin/sh -c ${step}]: exit code: 5`,
  ],
  'buildx 0.13': (step: string) => [
    `#9 ERROR: process "/bin/sh -c ${step}" did not complete successfully: exit code: 5`,
    '------',
    ` > [4/4] RUN ${step}:`,
    ...saidByPrograms.map((line) => `1.200 ${line}`),
    '------',
    'Dockerfile:4',
    '--------------------',
    `   4 | >>> RUN ${step}`,
    '--------------------',
    `ERROR: failed to solve: process "/bin/sh -c ${step}" did not complete successfully: exit code: 5`,
  ],
};

test.each(
  Object.entries(endings).flatMap(([builder, ending]) =>
    saidByPrograms.map((line) => [builder, line, ending] as const),
  ),
)('%s: a program that printed "%s" does not change what is said of the failed step', (_, line, ending) => {
  const said = 'The build failed: the step "RUN test" ended with exit code 5; its output is in the log.';
  const other = (...output: string[]): string[] => ['#8 [3/4] RUN other', ...output, '#8 DONE 1.4s'];
  const failed = (...output: string[]): string => buildFailure([...output, ...ending('test')], 1).message;
  expect(failed(...other(`#8 1.1 ${line}`), '#9 [4/4] RUN test')).toBe(said);
  // A carriage return of the program has taken BuildKit's mark away.
  expect(failed(...other(line), '#9 [4/4] RUN test')).toBe(said);
  expect(failed('#9 [4/4] RUN test', `#9 1.1 ${line}`)).toContain(said);
  expect(failed('#9 [4/4] RUN test', line)).toContain(said);
});

test.each(saidByPrograms)(
  'a step that printed "%s" and ended well does not explain a later failure',
  (line) => {
    const copied = '"/root.lock": not found';
    const lines = [
      '#8 [3/4] RUN other',
      `#8 1.1 ${line}`,
      line,
      '#8 DONE 1.4s',
      '#9 [4/4] COPY root.lock ./',
      `#9 ERROR: failed to calculate checksum of ref x::y: ${copied}`,
      '------',
      ' > [4/4] COPY root.lock ./:',
      '------',
      `ERROR: failed to solve: failed to compute cache key: failed to calculate checksum of ref x: ${copied}`,
    ];
    expect(buildFailure(lines, 1).message).toBe(
      'The Dockerfile copies /root.lock, which is not in the build context (or .dockerignore leaves it out).',
    );
  },
);

test('words of the failed step add a hint, those of other steps do not', () => {
  const failed = (output: string): string =>
    buildFailure(
      [
        '#8 0.3 sh: 1: other: not found',
        `#9 0.3 ${output}`,
        '#9 ERROR: executor failed running [/bin/sh -c vite build]: exit code: 127',
        'executor failed running [/bin/sh -c vite build]: exit code: 127',
      ],
      1,
    ).message;
  expect(failed('/bin/sh: 1: vite: not found')).toContain(
    'exit code 127; its output is in the log. The program vite',
  );
  expect(failed('bash: line 1: pnpm: command not found')).toContain('The program pnpm was not found');
  expect(failed('sh: next: not found')).toContain('The program next was not found');
  expect(failed('write: No space left on device')).toContain('The step printed "No space left on device"');
  expect(failed('npm ERR! getaddrinfo ENOTFOUND npm.example')).toContain('The name npm.example could not');
  expect(failed('all is well')).toMatch(/is in the log\.$/);
});

test('the last lines of a program that is not BuildKit count as its own', () => {
  const early = [
    'Cannot connect to the Docker daemon',
    'one',
    'two',
    'ERROR: failed to build: exit status 51',
  ];
  expect(buildFailure(early, 1).message).toContain('exit code 1: ERROR: failed to build: exit status 51');
});
