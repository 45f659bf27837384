/** Tasks run to their end, and the log of a service. */
import { afterAll, describe, expect, test } from 'vitest';
import type { LogLine } from '../../server/src/ports/engine/engine.ts';
import { stepService, uniqueName, until, untilRunning, type EngineFixture } from './fixture.ts';
import type { Step } from './steps.ts';

export function tasksSuite({ engine }: EngineFixture): void {
  describe.concurrent('one task run to its end', () => {
    async function run(
      steps: readonly Step[],
      change: { signal?: AbortSignal; limitMs?: number; spec?: object } = {},
    ) {
      const name = uniqueName('run');
      const lines: LogLine[] = [];
      const { signal = new AbortController().signal, limitMs = 30_000 } = change;
      const running = engine.runTask(
        { ...stepService(name, steps), ...change.spec },
        { signal, limitMs, onLine: (line) => lines.push(line) },
      );
      const outcome = await running.then(
        (result) => ({ result, error: undefined }),
        (error: unknown) => ({ result: undefined, error }),
      );
      return { ...outcome, lines, name, texts: lines.map((line) => `${line.stream} ${line.text}`) };
    }

    const ends: [string, Step[], number][] = [
      ['nothing', [], 0],
      ['an exit', [{ do: 'exit', code: 5 }], 5],
      ['the end by the kernel', [{ do: 'die' }, { do: 'stay' }], 137],
    ];
    test.each(ends)('%s gives its exit code', async (_, steps, exitCode) => {
      const { result, name } = await run(steps);
      expect(result?.exitCode).toBe(exitCode);
      expect(await engine.service(name)).toBeUndefined();
    });

    test('gives every line once and in order, the last ones too', async () => {
      const { texts, lines } = await run([
        { do: 'count', text: 'line', times: 3000 },
        { do: 'say', text: 'oops', on: 'stderr' },
        { do: 'say', text: 'no end', end: '' },
      ]);
      expect(texts.filter((text) => text.startsWith('stdout line'))).toEqual(
        Array.from({ length: 3000 }, (_, i) => `stdout line ${i}`),
      );
      expect(texts).toContain('stderr oops');
      expect(texts).toContain('stdout no end');
      expect(lines).toHaveLength(3002);
      expect(new Set(lines.map((line) => line.taskId)).size).toBe(1);
      expect(lines[0]?.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}Z$/);
    });

    test('gives lines while it runs', async () => {
      const seen: number[] = [];
      await engine.runTask(
        stepService(uniqueName('live'), [
          { do: 'say', text: 'a' },
          { do: 'wait', ms: 2000 },
          { do: 'say', text: 'b' },
        ]),
        {
          signal: new AbortController().signal,
          limitMs: 30_000,
          onLine: () => seen.push(performance.now()),
        },
      );
      expect((seen[1] ?? 0) - (seen[0] ?? 0)).toBeGreaterThan(1_000);
    });

    test('has its environment, files and volumes', async () => {
      const files = [
        { path: '/etc/app/settings.json', content: '{"größe":1}' },
        { path: '/run/secrets/word', content: 'open sesame', isSecret: true as const },
      ];
      const steps: Step[] = [
        { do: 'sayVariable', name: 'ODD', end: '' },
        { do: 'say', text: ' ', end: '' },
        { do: 'sayFile', path: '/etc/app/settings.json' },
        { do: 'sayFile', path: '/run/secrets/word' },
        { do: 'writeFile', path: '/data/x' },
      ];
      const mounts = [
        { type: 'volume', source: uniqueName('vol'), target: '/data', labels: { 'berth.test': 'true' } },
      ];
      const { texts, result } = await run(steps, { spec: { files, mounts, env: ['ODD=a b\t"c" $d'] } });
      expect(texts).toEqual(['stdout a b\t"c" $d {"größe":1}', 'stdout open sesame']);
      expect(result?.exitCode).toBe(0);
      const volume = mounts[0]?.source ?? '';
      expect(await engine.volumes('berth.test')).toContain(volume);
      await until('the volume is free', () =>
        engine.removeVolume(volume).then(
          () => true,
          () => false,
        ),
      );
      expect(await engine.volumes('berth.test')).not.toContain(volume);
    });

    test('without its image gives the reason and no exit code', async () => {
      const { result } = await run([], { spec: { image: 'nobody/there-is-none:1' } });
      expect(result).toEqual({ exitCode: undefined, error: 'No such image: nobody/there-is-none:1' });
    });

    test('is removed when aborted', async () => {
      const { error, name } = await run([{ do: 'every', ms: 100, text: 'tick' }], {
        signal: AbortSignal.timeout(2_000),
      });
      expect(error).toMatchObject({ name: 'TimeoutError' });
      expect(await engine.service(name)).toBeUndefined();
      expect(await engine.containers(`com.docker.swarm.service.name=${name}`)).toEqual([]);
    });

    test('is not begun when already aborted', async () => {
      const { error, name } = await run([], { signal: AbortSignal.abort(new Error('too late')) });
      expect(error).toMatchObject({ message: 'too late' });
      expect(await engine.service(name)).toBeUndefined();
    });

    test('is removed at its limit, which says what it was doing', async () => {
      const { error, name } = await run([{ do: 'stay' }], { limitMs: 12_000 });
      expect(error).toMatchObject({
        code: 'PRECONDITION_FAILED',
        message: expect.stringContaining('did not end within 12 s and was removed (it was running)'),
      });
      expect(await engine.service(name)).toBeUndefined();
    });
  });

  describe('the log of a service with a terminal', () => {
    const name = uniqueName('log-tty');
    afterAll(() => engine.removeService(name));

    test('is read as lines, and followed', async () => {
      const steps: Step[] = [
        { do: 'count', text: 'line', times: 3 },
        { do: 'every', ms: 200, text: 'tick' },
      ];
      await engine.applyService(stepService(name, steps, { container: { tty: true } }));
      await untilRunning(engine, name);
      const read = (options: Parameters<typeof engine.serviceLogs>[1]): Promise<LogLine[]> =>
        Array.fromAsync(engine.serviceLogs(name, options));
      const lines = await until('its lines', async () => {
        const all = await read({});
        return all.some(({ text }) => text === 'tick 1') && all;
      });
      expect(lines.slice(0, 3).map(({ text }) => text)).toEqual(['line 0', 'line 1', 'line 2']);
      const [task] = await engine.tasks(name);
      for (const { at, taskId } of lines) {
        expect(taskId).toBe(task?.id);
        expect(Date.parse(at)).toBeGreaterThan(0);
      }
      for await (const { text } of engine.serviceLogs(name, { follow: true, tail: 0 })) {
        expect(text).toMatch(/^tick \d+$/);
        break;
      }
    });
  });

  describe('the log of a service', () => {
    const name = uniqueName('log');
    afterAll(() => engine.removeService(name));

    const steps: Step[] = [
      { do: 'count', text: 'line', times: 20 },
      { do: 'say', text: 'x'.repeat(40_000), on: 'stderr' },
      { do: 'every', ms: 200, text: 'tick' },
    ];

    async function read(options: Parameters<typeof engine.serviceLogs>[1]): Promise<LogLine[]> {
      const lines: LogLine[] = [];
      for await (const line of engine.serviceLogs(name, options)) lines.push(line);
      return lines;
    }

    test('is read whole, sorted over its tasks, or from its end', async () => {
      await engine.applyService(stepService(name, steps, { replicas: 2 }));
      await untilRunning(engine, name, 2);
      const lines = await until('the log of both tasks', async () => {
        const all = await read({});
        return (
          all.filter((line) => line.text.length === 40_000 && line.stream === 'stderr').length === 2 && all
        );
      });
      expect(lines.map((line) => line.at)).toEqual(lines.map((line) => line.at).sort());
      for (const taskId of new Set(lines.map((line) => line.taskId))) {
        expect(
          lines
            .filter((line) => line.taskId === taskId && line.text.startsWith('line'))
            .map((line) => line.text),
        ).toEqual(Array.from({ length: 20 }, (_, i) => `line ${i}`));
      }
      const nodes = new Map((await engine.tasks(name)).map(({ id, nodeId }) => [id, nodeId]));
      expect(nodes.size).toBe(2);
      for (const { taskId, nodeId } of lines) expect(nodeId).toBe(nodes.get(taskId));
      const tail = await read({ tail: 3 });
      expect(tail).toHaveLength(3);
      expect(await read({ tail: 0 })).toEqual([]);
    });

    test('is looked through for a text', async () => {
      const lines = await read({ search: 'line 7', tail: 10 });
      expect(lines.map(({ text }) => text)).toEqual(['line 7', 'line 7']);
    });

    test('is read from a time on', async () => {
      const [last] = await read({ tail: 1 });
      const later = await until('a later line', async () => {
        const lines = await read({ since: last?.at ?? '' });
        return lines.length > 2 && lines;
      });
      expect(later.every((line) => line.at >= (last?.at ?? ''))).toBe(true);
      await expect(read({ since: 'yesterday' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    });

    test('is followed until the reader is told to stop', async () => {
      const lines = await read({ follow: true, tail: 1, signal: AbortSignal.timeout(2_000) });
      expect(lines.filter((line) => line.text.startsWith('tick')).length).toBeGreaterThan(5);
    });

    test('leaves no connection behind when the reader stops', async () => {
      const before = process.getActiveResourcesInfo().filter((each) => each === 'PipeWrap').length;
      for await (const line of engine.serviceLogs(name, { follow: true }))
        if (line.text.startsWith('tick')) break;
      const isClosed = until(
        'the connection is closed',
        async () => process.getActiveResourcesInfo().filter((each) => each === 'PipeWrap').length <= before,
      );
      await expect(isClosed).resolves.toBe(true);
    });

    test('of no service is an error', async () => {
      await expect(engine.serviceLogs('t-nobody', {})[Symbol.asyncIterator]().next()).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    });
  });
}
