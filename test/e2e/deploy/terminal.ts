/**
 * A terminal in a container of a real engine, opened by the WebSocket of a running Berth: what passes through
 * it, how it ends, and whom it is refused to.
 */
import { beforeAll, expect, it } from 'vitest';
import { commandOf, type Step } from '../../engine-suite/steps.ts';
import { textOf } from '../../http/interface-client.ts';
import { opened, openTerminal, type TerminalClient } from '../../http/terminal-client.ts';
import { owner } from '../fixtures/berth-host.ts';
import { berthPid, residentBytes } from '../fixtures/berth-process.ts';
import { docker, output, until, type App, type ApplicationFixture } from '../fixtures/applications.ts';

const poured = 100 * 1024 * 1024;
/** What a slow reader takes between two looks at Berth's memory. */
const sip = 1024 * 1024;
/** Far below what was poured, far above what the collector leaves lying. */
const mostGrowth = 48 * 1024 * 1024;

export function terminalTests(shop: () => ApplicationFixture): void {
  let app: App;
  beforeAll(async () => {
    app = await shop().fromImage(
      'shell',
      `node -e 'require("node:http").createServer((_, answer) => answer.end("well")).listen(3000)'`,
    );
    await app.deploy();
  });
  const host = () => shop().berth.services;
  const open = (
    steps: readonly Step[],
    change: object = {},
    headers = shop().berth.signed(),
  ): Promise<TerminalClient> =>
    opened(
      shop().berth.url,
      { serviceId: app.id, ...(steps.length > 0 && { command: commandOf(steps) }), ...change },
      headers,
    );
  const containersOf = async (): Promise<string[]> =>
    (await output(host(), docker, 'ps', '-q', '--filter', `label=berth.application=${app.id}`))
      .split('\n')
      .filter(Boolean);
  async function untilHungUp(text: string): Promise<void> {
    await until(`nothing of "${text}" runs`, async () => {
      const all = await Promise.all((await containersOf()).map((id) => output(host(), docker, 'top', id)));
      return !all.join('\n').includes(text);
    });
  }
  async function sessionFrom(way: 'sign-in' | 'sign-up', input: object): Promise<Record<string, string>> {
    const { url: origin } = shop().berth;
    const answer = await fetch(`${origin}/api/auth/${way}/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify(input),
    });
    if (!answer.ok) throw new Error(`${way}: ${answer.status} ${await answer.text()}`);
    return { cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '', origin };
  }
  const ownSession = (): Promise<Record<string, string>> =>
    sessionFrom('sign-in', { email: owner.email, password: owner.password });
  const staying = (text: string): Step[] => [{ do: 'say', text }, { do: 'stay' }];

  it('has the size that it is given, then and later, and gives the exit code', async () => {
    const steps: Step[] = [
      { do: 'saySize', until: '132x43' },
      { do: 'exit', code: 7 },
    ];
    const client = await open(steps, { columns: 91, rows: 17 });
    await client.until('size 91x17');
    client.tell({ type: 'resize', columns: 132, rows: 43 });
    expect(await client.ended).toMatchObject({ code: 1000, end: { reason: 'exited', exitCode: 7 } });
    expect(client.stdout().toString()).toContain('size 132x43');
  });

  it('of a shell runs what is typed, which ctrl-C ends and the shell outlives', async () => {
    const client = await open([]);
    // A program of its own, so that it is in the foreground when it says so: between two commands ctrl-C
    // is for the shell, which waits for the second one all the same.
    client.type("sh -c 'echo in $((40 + 2)); exec sleep 1000'\n");
    await client.until('in 42');
    client.type('\u0003');
    // What is typed before the next prompt goes with what was interrupted.
    await until('the shell prompts again', async () => client.stdout().toString().split('# ').length > 2);
    client.type('echo after $((40 + 3)); exit 5\n');
    await client.until('after 43');
    expect(await client.ended).toMatchObject({ end: { reason: 'exited', exitCode: 5 } });
  });

  it('keeps characters whole however their bytes are cut into frames', async () => {
    const client = await open([{ do: 'copyInput' }]);
    const text = 'Grüße, 世界 🚀';
    for (const byte of Buffer.from(`${text}\n`)) client.type(Buffer.of(byte));
    // By the terminal's echo, and from the program.
    await client.until(`${text}\r\n${text}\r\n`);
    client.type('\u0003');
    expect(await client.ended).toMatchObject({ end: { reason: 'exited', exitCode: 130 } });
  });

  it('holds 100 MB back for a slow reader, with memory that stays flat', async () => {
    const pid = await berthPid(shop().berth.host);
    const client = await open([
      { do: 'pour', bytes: poured },
      { do: 'exit', code: 0 },
    ]);
    const before = await residentBytes(pid);
    // What came before anybody counted.
    let taken = client.stdout().length;
    const seen: number[] = [];
    client.socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) return;
      taken += data.length - 1;
      if (taken < (seen.length + 1) * sip) return;
      // Nothing is read until Berth has answered something else and was looked at.
      client.socket.pause();
      void (async () => {
        await shop().berth.call('settings.get');
        seen.push((await residentBytes(pid)) - before);
        client.socket.resume();
      })();
    });
    expect(await client.ended).toMatchObject({ code: 1000, end: { reason: 'exited', exitCode: 0 } });
    expect(taken).toBe(poured);
    expect(seen.length).toBeGreaterThan(50);
    const most = Math.max(...seen);
    console.log(
      `terminal, 100 MB to a slow reader: ${(most / 1e6).toFixed(1)} MB above what it was before, ` +
        `in ${seen.length} looks`,
    );
    expect(most).toBeLessThan(mostGrowth);
  });

  it('ends with its container, and another opens in the next', async () => {
    const client = await open(staying('before the end'));
    await client.until('before the end');
    for (const id of await containersOf()) await output(host(), docker, 'rm', '-f', id);
    expect(await client.ended).toMatchObject({ code: 1000, end: { reason: 'containerEnded' } });
    // The next one answers before the engine says that it runs.
    const next = await until('the next one opens', async () => {
      const tried = await openTerminal(
        shop().berth.url,
        { serviceId: app.id, command: commandOf([{ do: 'exit', code: 0 }]) },
        shop().berth.signed(),
      );
      return 'status' in tried ? undefined : tried;
    });
    expect(await next?.ended).toMatchObject({ end: { reason: 'exited', exitCode: 0 } });
  });

  it('ends with the session that opened it, and what ran is hung up', async () => {
    const { berth } = shop();
    const session = await ownSession();
    const client = await open(staying('of a session'), {}, session);
    await client.until('of a session');
    await fetch(`${berth.url}/api/auth/sign-out`, { method: 'POST', headers: session });
    expect(await client.ended).toMatchObject({ code: 1008, end: { reason: 'accessLost' } });
    await untilHungUp('of a session');
  });

  it('is refused to whoever may not, in the handshake or as a page is told', async () => {
    const { berth } = shop();
    const session = await ownSession();
    const keyFor = async (metadata: object, permissions?: object): Promise<Record<string, string>> => {
      const input = { name: 'a key', metadata, ...(permissions && { permissions }) };
      const { status, body } = await berth.ask('user.createApiKey', input, session);
      if (status !== 200) throw new Error(`no key: ${status} ${JSON.stringify(body)}`);
      return { 'x-api-key': textOf(body, 'key') };
    };
    const [own] = await berth.call<{ organizationId: string }[]>('organization.all');
    const made = await berth.ask('organization.create', { name: 'Elsewhere' }, session);
    const other = textOf(made.body, 'organizationId');
    const refused: [string, number, Record<string, string>][] = [
      ['nobody', 401, {}],
      ['a bad key', 401, { 'x-api-key': 'berth_nothing' }],
      ['another organization', 403, await keyFor({ organizationId: other })],
      [
        'a key for something else',
        403,
        await keyFor({ organizationId: own?.organizationId }, { application: ['read', 'write'] }),
      ],
      ['a page of elsewhere', 403, { ...session, origin: 'http://evil.example' }],
    ];
    for (const [who, status, headers] of refused)
      expect([who, await openTerminal(berth.url, { serviceId: app.id }, headers)]).toMatchObject([
        who,
        { status },
      ]);
    const { token } = await berth.call<{ token: string }>('organization.invite', {
      email: 'eve@example.com',
      role: 'member',
      grants: { accessedServices: [app.id] },
    });
    // Who reaches the service, and has no grant for terminals.
    const member = await sessionFrom('sign-up', {
      name: 'Eve',
      email: 'eve@example.com',
      password: owner.password,
      token,
    });
    expect(await (await open([], {}, member)).ended).toMatchObject({
      code: 4403,
      end: { reason: 'refused', code: 'FORBIDDEN' },
    });
  });

  it('ends when Berth is stopped, what ran is hung up, and another opens after the start', async () => {
    const { berth } = shop();
    const client = await open(staying('before the stop'));
    await client.until('before the stop');
    await berth.stop();
    expect(await client.ended).toMatchObject({ code: 1001, end: { reason: 'stopped' } });
    await berth.start();
    await untilHungUp('before the stop');
    const next = await open([
      { do: 'say', text: 'back' },
      { do: 'exit', code: 0 },
    ]);
    expect(await next.ended).toMatchObject({ end: { reason: 'exited', exitCode: 0 } });
    expect(next.stdout().toString()).toContain('back');
  });
}
