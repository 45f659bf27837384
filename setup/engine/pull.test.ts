import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { pullUntilAnswered } from './pull.ts';

const signal = new AbortController().signal;
const limits = { answerLimitMs: 200, limitMs: 5000, signal };
const stream =
  (...events: object[]) =>
  async () =>
    Readable.from(events.map((event) => `${JSON.stringify(event)}\r\n`));

it('is pulled when the registry sent layers and a digest', async () => {
  const answer = await pullUntilAnswered(
    stream(
      { status: 'Pulling from library/caddy', id: '2' },
      { status: 'Already exists', id: '0123456789ab' },
      { status: 'Digest: sha256:ff' },
    ),
    limits,
  );
  expect(answer).toEqual({ kind: 'pulled' });
});

it("does not take the engine's own first word for an answer", async () => {
  const answer = await pullUntilAnswered(stream({ status: 'Pulling from library/caddy', id: '2' }), limits);
  expect(answer.kind).toBe('silent');
});

it('is silent when nothing comes within the limit, however long the connection stays open', async () => {
  const start = performance.now();
  const answer = await pullUntilAnswered(async (abort) => {
    const open = new Readable({ read: () => undefined });
    abort.addEventListener('abort', () => open.destroy(new Error('aborted')));
    return open;
  }, limits);
  expect(answer).toEqual({ kind: 'silent', reason: 'no answer within 0.2 s' });
  expect(performance.now() - start).toBeLessThan(2000);
});

it('tells a registry that refuses from one that is not there', async () => {
  expect((await pullUntilAnswered(stream({ error: 'manifest unknown' }), limits)).kind).toBe('refused');
  const fails = (message: string) => pullUntilAnswered(() => Promise.reject(new Error(message)), limits);
  expect(await fails('Get: dial tcp: no such host')).toEqual({
    kind: 'silent',
    reason: 'Get: dial tcp: no such host',
  });
  expect((await fails('toomanyrequests: You have reached your pull rate limit')).kind).toBe('refused');
});

it('passes the interruption on', async () => {
  const stopped = AbortSignal.abort(new Error('interrupted'));
  await expect(
    pullUntilAnswered(() => Promise.reject(new Error('aborted')), { ...limits, signal: stopped }),
  ).rejects.toThrow('interrupted');
});
