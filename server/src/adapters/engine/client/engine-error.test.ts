import { expect, test } from 'vitest';
import { allowRefusal, engineError, isAbsent, isOutOfSequence } from './engine-error.ts';

const socket = 'at /run/docker.sock';

function answered(statusCode: number, message: string): Error {
  return Object.assign(new Error(`(HTTP code ${statusCode}) unexpected - ${message}`), {
    statusCode,
    json: { message },
  });
}

function failed(code: string): Error {
  return Object.assign(new Error(code), { code });
}

test.each([
  [
    400,
    'rpc error: code = InvalidArgument desc = name must be valid as a DNS name component',
    'BAD_REQUEST',
    'name must be valid as a DNS name component',
  ],
  [
    400,
    'rpc error: code = FailedPrecondition desc = network n is in use by service s',
    'PRECONDITION_FAILED',
    'in use by service s',
  ],
  [404, 'no such thing', 'NOT_FOUND', 'no such thing'],
  [
    409,
    'rpc error: code = AlreadyExists desc = name conflicts with an existing object',
    'CONFLICT',
    'name conflicts',
  ],
  [
    500,
    'rpc error: code = Unknown desc = name conflicts with an existing object',
    'CONFLICT',
    'name conflicts',
  ],
  [500, 'no space left on device', 'SERVICE_UNAVAILABLE', 'no space left on device'],
  [
    503,
    'This node is not a swarm manager. Use "docker swarm init" ...',
    'SERVICE_UNAVAILABLE',
    'is not a swarm manager',
  ],
  [
    500,
    'Get "https://registry.invalid/v2/": dial tcp: lookup registry.invalid on 127.0.0.53:53: no such host',
    'SERVICE_UNAVAILABLE',
    'The name registry.invalid does not resolve (doing it).',
  ],
])('an answer %i, %s, is %s', (status, message, code, words) => {
  const error = engineError('doing it', socket, answered(status, message));
  expect(error).toMatchObject({ code, message: expect.stringContaining(words) });
  expect(error.message).not.toContain('rpc error');
});

test('a name that does not resolve is no refusal', () => {
  const words = 'Get "https://r.invalid/v2/": dial tcp: lookup r.invalid: no such host';
  expect(engineError('doing it', socket, answered(500, words)).message).not.toContain('refused');
});

test.each([
  ['ENOENT', 'there is no such socket'],
  ['ECONNREFUSED', 'nothing listens'],
  ['EACCES', 'may not open the socket'],
  ['ECONNRESET', 'closed the connection'],
])('a socket error %s says what to do', (code, words) => {
  expect(engineError('doing it', socket, failed(code))).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringMatching(new RegExp(`${socket}.*doing it.*${words}`)),
  });
});

test('a time limit is no answer in time', () => {
  expect(engineError('doing it', socket, new DOMException('x', 'TimeoutError')).message).toContain(
    'no answer in time',
  );
});

test('refusals are told apart by status and words', () => {
  expect(isAbsent(engineError('x', socket, answered(404, 'no')))).toBe(true);
  expect(isAbsent(engineError('x', socket, failed('ENOENT')))).toBe(false);
  const outOfSequence = engineError(
    'x',
    socket,
    answered(500, 'rpc error: code = Unknown desc = update out of sequence'),
  );
  expect(isOutOfSequence(outOfSequence)).toBe(true);
  expect(() => allowRefusal(/out of sequence/)(outOfSequence)).not.toThrow();
  expect(() => allowRefusal(/other/)(outOfSequence)).toThrow(outOfSequence);
});
