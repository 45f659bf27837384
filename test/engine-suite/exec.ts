/** Programs run in a container that runs already. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { nodeImage, uniqueName, type EngineFixture } from './fixture.ts';
import { execKeptBytes } from '../../server/src/ports/engine/engine-program.ts';
import { commandOf, type Step } from './steps.ts';

export function execSuite({ engine, api }: EngineFixture): void {
  const name = uniqueName('exec');
  const signal = new AbortController().signal;
  let id = '';

  beforeAll(async () => {
    const container = await api.call(
      {
        method: 'POST',
        path: '/containers/create',
        query: { name },
        body: { Image: nodeImage, Cmd: ['sleep', '600'], Env: ['OWN=there'] },
        doing: 'making a container',
      },
      z.object({ Id: z.string() }),
    );
    id = container.Id;
    await api.send({ method: 'POST', path: `/containers/${id}/start`, doing: 'starting it' });
  });
  afterAll(() =>
    api.send({ method: 'DELETE', path: `/containers/${id}`, query: { force: true }, doing: 'removing it' }),
  );

  const run = (steps: readonly Step[], env: Record<string, string> = {}, limitMs = 20_000) =>
    engine.exec(id, { argv: commandOf(steps), env, limitMs, signal });

  test('gives what a program did and said, each stream by itself', async () => {
    expect(
      await run([
        { do: 'say', text: 'out' },
        { do: 'say', text: 'bad', on: 'stderr' },
        { do: 'exit', code: 3 },
      ]),
    ).toEqual({
      exitCode: 3,
      stdout: 'out\n',
      stderr: 'bad\n',
    });
    expect(
      await run(
        [
          { do: 'sayVariable', name: 'OWN', end: '' },
          { do: 'say', text: ' ', end: '' },
          { do: 'sayVariable', name: 'MORE', end: '' },
        ],
        { MORE: 'a "b" $(c) ü' },
      ),
    ).toMatchObject({
      exitCode: 0,
      stdout: 'there a "b" $(c) ü',
    });
    const { stdout } = await run([
      { do: 'count', text: 'line', times: 20_000 },
      { do: 'say', text: 'end' },
    ]);
    expect(stdout).toHaveLength(execKeptBytes);
    expect(stdout.endsWith('line 19999\nend\n')).toBe(true);
  });

  test('ends at its limit and with its caller, and says when there is no such container', async () => {
    await expect(run([{ do: 'stay' }], {}, 500)).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('did not end within 0.5 s'),
    });
    const caller = new AbortController();
    const gone = engine.exec(id, { argv: ['sleep', '20'], env: {}, limitMs: 20_000, signal: caller.signal });
    setTimeout(() => caller.abort(new Error('gone')), 300);
    await expect(gone).rejects.toThrow('gone');
    await expect(
      engine.exec('nothing', { argv: ['true'], env: {}, limitMs: 5000, signal }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
}
