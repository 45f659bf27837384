/** What `berth forward`, `exec` and `db connect` reach in containers of a real engine. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Ran } from '../../command-line.ts';

type Run = (argv: string[], more?: { signal?: AbortSignal }) => Promise<Ran>;

/** Of this machine; free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = Number(Object(server.address()).port);
  server.close();
  await once(server, 'close');
  return port;
}

/** One line sent, and the line that came back; asked again while nothing listens there yet. */
async function asked(port: number, lines: readonly string[], signal: AbortSignal): Promise<string[]> {
  for (;;) {
    signal.throwIfAborted();
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      const answers: string[] = [];
      let text = '';
      for (const line of lines) {
        socket.write(`${line}\r\n`);
        while (!text.includes('\r\n')) text += String((await once(socket, 'data', { signal }))[0]);
        answers.push(text.slice(0, text.indexOf('\r\n')));
        text = text.slice(text.indexOf('\r\n') + 2);
      }
      return answers;
    } catch (error) {
      if (Object(error).code !== 'ECONNREFUSED') throw error;
      await pause(50);
    } finally {
      socket.destroy();
    }
  }
}

/** A redis that nobody published, reached from here, where it asks for its password as it asks anybody. */
export async function expectForwarded(run: Run, name: string, password: string): Promise<void> {
  const stop = new AbortController();
  const port = await freePort();
  const running = run(['forward', name, '6379', '--local', String(port)], { signal: stop.signal });
  const limit = AbortSignal.timeout(60_000);
  try {
    const answers = await asked(port, ['PING', 'AUTH wrong', `AUTH ${password}`, 'PING'], limit);
    expect(answers).toEqual([
      expect.stringMatching(/^-NOAUTH/),
      expect.stringMatching(/^-WRONGPASS|^-ERR/),
      '+OK',
      '+PONG',
    ]);
  } finally {
    stop.abort();
  }
  const { code, out } = await running;
  expect([code, JSON.parse(out)]).toMatchObject([0, { host: '127.0.0.1', port, servicePort: 6379 }]);
}

/** Input, both outputs and the exit code are the program's own. */
export async function expectExec(run: Run, name: string): Promise<void> {
  const script = 'cat; echo "to errors" >&2; exit 3';
  expect(await run(['exec', name, '--', '/.berth/busybox', 'sh', '-c', script])).toMatchObject({
    code: 3,
    out: '',
    said: 'to errors\n',
  });
  expect(await run(['exec', name, '--', '/.berth/busybox', 'echo', "it's $HOME; ok"])).toMatchObject({
    code: 0,
    out: "it's $HOME; ok\n",
  });
  // Engines say either.
  expect([126, 127]).toContain((await run(['exec', name, '--', '/no/such/program'])).code);
}
