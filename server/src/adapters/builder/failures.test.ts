import { expect, test } from 'vitest';
import { cpuMs } from '../../../../test/cpu-time.ts';
import { buildFailure, outOfMemory } from './failures.ts';

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
  [
    '#5 0.2 write /x: no space left on device',
    'PRECONDITION_FAILED',
    'disk of the server that builds is full',
  ],
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
