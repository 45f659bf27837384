import { createServer, type RequestListener } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { onTestFinished, expect, test } from 'vitest';
import { createEarlyIntake } from './early-intake.ts';
import { archiveBeginning, emptyArchive } from './layer-archive.ts';

const { signal } = new AbortController();

/** A socket that takes requests as an engine does; gives its path. */
async function listening(listener: RequestListener): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-intake-'));
  const server = createServer(listener);
  const path = join(folder, 'engine.sock');
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });
  return path;
}

/** What an engine got, whole requests in the order in which they ended. */
async function engine() {
  const bodies: Buffer[] = [];
  let begun = 0;
  const heard = Promise.withResolvers<void>();
  const path = await listening(async (asked, answer) => {
    begun += 1;
    asked.once('data', () => heard.resolve());
    bodies.push(await buffer(asked));
    answer.end();
  });
  return { path, bodies, begun: () => begun, heard: heard.promise };
}

async function* archive(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const whole = (rest: Uint8Array): Buffer => Buffer.concat([archiveBeginning(), rest]);

test('an engine hears of an archive before there is one, and gets the rest of it', async () => {
  const { path, bodies, begun, heard } = await engine();
  const intake = createEarlyIntake(path);
  intake.open();
  intake.open();
  await heard;
  await intake.take().take(archive('the rest'), signal);
  expect(bodies).toEqual([whole(Buffer.from('the rest'))]);
  intake.close();
  expect(begun()).toBe(1);
});

test('a second archive goes by a request of its own', async () => {
  const { path, bodies } = await engine();
  const intake = createEarlyIntake(path);
  intake.open();
  await intake.take().take(archive('one'), signal);
  await intake.take().take(archive('two'), signal);
  expect(bodies).toEqual([whole(Buffer.from('one')), whole(Buffer.from('two'))]);
});

test.each([
  ['when it is closed', 60_000],
  ['when nobody has taken it for a while', 1],
])('an engine is told of an archive without images %s', async (_, heldMs) => {
  const { path, bodies, heard } = await engine();
  const intake = createEarlyIntake(path, heldMs);
  intake.open();
  await heard;
  if (heldMs > 1) intake.close();
  await expect.poll(() => bodies).toEqual([whole(emptyArchive())]);
  // What comes after all is told anew.
  await intake.take().take(archive('late'), signal);
  expect(bodies[1]).toEqual(whole(Buffer.from('late')));
});

test('an engine that has gone away meanwhile is asked again', async () => {
  const bodies: Buffer[] = [];
  let asks = 0;
  const gone = Promise.withResolvers<void>();
  const path = await listening(async (asked, answer) => {
    asks += 1;
    if (asks === 1) {
      asked.socket.destroy();
      asked.socket.once('close', gone.resolve);
      return;
    }
    bodies.push(await buffer(asked));
    answer.end();
  });
  const intake = createEarlyIntake(path);
  intake.open();
  await gone.promise;
  expect(asks).toBe(1);
  // The other end hears of it a moment later.
  await setImmediate();
  await intake.take().take(archive('again'), signal);
  expect(bodies).toEqual([whole(Buffer.from('again'))]);
});

test('one that answers before it was sent anything is asked again, and its connection is ended', async () => {
  const bodies: Buffer[] = [];
  const early = Promise.withResolvers<void>();
  let asks = 0;
  const path = await listening(async (asked, answer) => {
    asks += 1;
    if (asks === 1) {
      asked.once('end', early.resolve).resume();
      answer.writeHead(500).end();
      return;
    }
    bodies.push(await buffer(asked));
    answer.end();
  });
  const intake = createEarlyIntake(path);
  intake.open();
  await expect.poll(() => asks).toBe(1);
  await expect
    .poll(async () => {
      await intake.take().take(archive('again'), signal);
      return asks;
    })
    .toBeGreaterThan(1);
  expect(bodies.at(-1)).toEqual(whole(Buffer.from('again')));
  await early.promise;
});

test('an abort ends what is on its way', async () => {
  const abort = new AbortController();
  const closed = Promise.withResolvers<void>();
  const path = await listening((asked) => {
    asked.once('close', closed.resolve).resume();
    abort.abort(new Error('stopped'));
  });
  const endless = async function* (): AsyncGenerator<Uint8Array> {
    for (;;) {
      yield Buffer.from('more');
      await setImmediate();
    }
  };
  await expect(createEarlyIntake(path).take().take(endless(), abort.signal)).rejects.toThrow('stopped');
  await closed.promise;
});
