/** Programs that somebody talks with, in a container that runs already. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type {
  InteractiveProgram,
  ProgramConnection,
  TerminalSize,
} from '../../server/src/ports/engine/engine-program.ts';
import { nodeImage, uniqueName, type EngineFixture } from './fixture.ts';
import { commandOf, type Step } from './steps.ts';

const limitMs = 60_000;

export function interactSuite({ engine, api }: EngineFixture): void {
  let id = '';

  async function container(): Promise<string> {
    const { Id } = await api.call(
      {
        method: 'POST',
        path: '/containers/create',
        query: { name: uniqueName('interact') },
        body: { Image: nodeImage, Cmd: ['sleep', '600'] },
        doing: 'making a container',
      },
      z.object({ Id: z.string() }),
    );
    await api.send({ method: 'POST', path: `/containers/${Id}/start`, doing: 'starting it' });
    return Id;
  }
  const remove = (containerId: string): Promise<void> =>
    api.send({
      method: 'DELETE',
      path: `/containers/${containerId}`,
      query: { force: true },
      doing: 'removing it',
    });
  beforeAll(async () => {
    id = await container();
  });
  afterAll(() => remove(id));

  const begin = (
    steps: readonly Step[],
    size?: TerminalSize,
    change: Partial<InteractiveProgram> & { containerId?: string } = {},
  ): Promise<ProgramConnection> =>
    engine.interact(change.containerId ?? id, {
      argv: commandOf(steps),
      env: {},
      size,
      signal: AbortSignal.timeout(limitMs),
      ...change,
    });

  test('reads what is written to it to the end, and keeps its two outputs apart', async () => {
    const program = await begin([
      { do: 'say', text: 'bad', on: 'stderr' },
      { do: 'copyInput' },
      { do: 'exit', code: 3 },
    ]);
    // A character of three bytes, cut.
    const euro = Buffer.from('10 €\n');
    await program.write(euro.subarray(0, 4));
    await program.write(euro.subarray(4));
    program.endInput();
    const said = await allOf(program);
    expect([said.stdout.toString(), said.stderr.toString()]).toEqual(['10 €\n', 'bad\n']);
    expect(await program.exitCode()).toBe(3);
    // To what has ended nothing more comes, and that is no fault.
    await program.write(Buffer.from('late'));
    await program.resize({ columns: 10, rows: 10 });
  });

  test('has a terminal of the size that it is given, then and later', async () => {
    const program = await begin(
      [
        { do: 'saySize', until: '100x30' },
        { do: 'exit', code: 0 },
      ],
      { columns: 91, rows: 17 },
    );
    let text = '';
    for await (const { bytes } of program.output) {
      text += Buffer.from(bytes).toString();
      if (text.includes('size 91x17\r\n')) await program.resize({ columns: 100, rows: 30 });
    }
    expect(text).toContain('size 100x30\r\n');
    expect(await program.exitCode()).toBe(0);
  });

  test('is interrupted by ctrl-C from its terminal', async () => {
    const program = await begin([{ do: 'say', text: 'ready' }, { do: 'stay' }], { columns: 80, rows: 24 });
    let text = '';
    for await (const { bytes } of program.output) {
      text += Buffer.from(bytes).toString();
      if (text.includes('ready')) await program.write(Buffer.from('\u0003'));
    }
    expect(await program.exitCode()).toBe(130);
  });

  test('writes on once somebody takes what it has written, and loses nothing', async () => {
    const bytes = 24 * 1024 * 1024;
    const program = await begin([{ do: 'pour', bytes }, { do: 'copyInput' }]);
    let taken = 0;
    for await (const part of program.output) {
      if (taken === 0) await new Promise((resolve) => setTimeout(resolve, 1000));
      taken += part.bytes.length;
      if (taken === bytes) program.endInput();
    }
    expect(taken).toBe(bytes);
    expect(await program.exitCode()).toBe(0);
  });

  test('ends with its container, and is cut off with its signal', async () => {
    const other = await container();
    const steps: Step[] = [{ do: 'say', text: 'ready' }, { do: 'stay' }];
    const program = await begin(steps, { columns: 80, rows: 24 }, { containerId: other });
    for await (const { bytes } of program.output)
      if (Buffer.from(bytes).toString().includes('ready')) await remove(other);
    expect([undefined, 137]).toContain(await program.exitCode());
    await expect(begin([], undefined, { containerId: other })).rejects.toMatchObject({ code: 'NOT_FOUND' });

    const caller = new AbortController();
    const cut = await begin(steps, undefined, { signal: caller.signal });
    await expect(async () => {
      for await (const { bytes } of cut.output)
        if (Buffer.from(bytes).toString().includes('ready')) caller.abort(new Error('gone'));
    }).rejects.toThrow('gone');
  });
}

async function allOf({ output }: ProgramConnection): Promise<Record<'stdout' | 'stderr', Buffer>> {
  const parts: Record<'stdout' | 'stderr', Uint8Array[]> = { stdout: [], stderr: [] };
  for await (const { stream, bytes } of output) parts[stream].push(bytes);
  return { stdout: Buffer.concat(parts.stdout), stderr: Buffer.concat(parts.stderr) };
}
