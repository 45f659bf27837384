/** Programs beside a service: output as a stream, input with an end, exit codes, and nothing left. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { overridingAll } from '../../server/src/adapters/engine/client/labels.ts';
import { Secret } from '../../server/src/domain/secrets/secret.ts';
import { ProgramFailed, type ProgramSpec } from '../../server/src/ports/engine/engine-program.ts';
import { nodeImage, uniqueName, until, type EngineFixture } from './fixture.ts';
import { commandOf } from './steps.ts';

export function programsSuite({ engine, api }: EngineFixture): void {
  const network = uniqueName('programs');
  const label = `berth.test-program=${network}`;
  const signal = AbortSignal.timeout(200_000);

  beforeAll(() =>
    engine.ensureNetwork({ name: network, subnet: '10.211.7.0/24', labels: { 'berth.test': 'true' } }),
  );
  afterAll(() => engine.removeNetwork(network));

  const program = (argv: ProgramSpec['argv'], env: ProgramSpec['env'] = {}): ProgramSpec => ({
    name: uniqueName('program'),
    image: nodeImage,
    argv,
    env,
    network,
    labels: { 'berth.test-program': network },
  });

  async function outputOf(
    spec: ProgramSpec,
    input?: AsyncIterable<Uint8Array>,
    lines: string[] = [],
  ): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const part of engine.programOutput(spec, {
      signal,
      input,
      onLine: (line) => void lines.push(line),
    }))
      parts.push(part);
    return Buffer.concat(parts);
  }
  async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
  }
  const left = (): Promise<unknown[]> => engine.containers(label);

  describe('a program', () => {
    test('gives its output byte for byte, its words apart, and gets its variables as data', async () => {
      const lines: string[] = [];
      const odd = 'a "b" $(c)\nd';
      expect(
        (
          await outputOf(
            program(
              commandOf([
                { do: 'sayVariable', name: 'ODD', end: '' },
                { do: 'say', text: 'one', on: 'stderr' },
                { do: 'say', text: 'two', on: 'stderr', end: '' },
              ]),
              { ODD: new Secret(odd) },
            ),
            undefined,
            lines,
          )
        ).toString(),
      ).toBe(odd);
      expect(lines).toEqual(['one', 'two']);
      const bytes = randomBytes(9_000_000);
      expect((await outputOf(program(['cat']), pieces(bytes))).equals(bytes)).toBe(true);
      expect(await left()).toEqual([]);
    });

    test('that fails gives what it had, then says so', async () => {
      const bytes = 100_000;
      const told = Promise.withResolvers<void>();
      const taken = Promise.withResolvers<void>();
      // Keeps its input open, and the program with it, until all was taken: a busy engine loses the end of
      // what an ended program wrote.
      async function* open(): AsyncGenerator<Uint8Array> {
        await Promise.all([told.promise, taken.promise]);
        yield* [];
      }
      let length = 0;
      const reading = (async () => {
        for await (const part of engine.programOutput(
          program(
            commandOf([
              { do: 'pour', bytes },
              { do: 'say', text: 'no such table', on: 'stderr' },
              { do: 'readInput' },
              { do: 'exit', code: 3 },
            ]),
          ),
          { signal, input: open(), onLine: () => told.resolve() },
        )) {
          length += part.length;
          if (length >= bytes) taken.resolve();
        }
      })();
      await expect(reading).rejects.toThrow(ProgramFailed);
      await expect(reading).rejects.toMatchObject({
        exitCode: 3,
        message: 'node ended with the exit code 3: no such table',
      });
      expect(length).toBe(bytes);
      await expect(outputOf(program(['/no/such/program']))).rejects.toMatchObject({
        message: expect.stringContaining('/no/such/program'),
      });
      expect(await left()).toEqual([]);
    });

    test('is killed when its input fails, and never takes a part for the whole', async () => {
      async function* broken(): AsyncGenerator<Uint8Array> {
        yield randomBytes(1000);
        throw new Error('the object broke off');
      }
      await expect(
        outputOf(program(commandOf([{ do: 'readInput' }, { do: 'say', text: 'whole' }])), broken()),
      ).rejects.toThrow('the object broke off');
      expect(await left()).toEqual([]);
    });

    test('that ends before its input does is no error of the input', async () => {
      expect(
        (
          await outputOf(
            program(commandOf([{ do: 'takeInput', bytes: 10 }])),
            pieces(Buffer.alloc(20_000_000, 'x')),
          )
        ).toString(),
      ).toBe('x'.repeat(10));
    });

    test('is held back by whoever does not read', async () => {
      let taken = 0;
      for await (const part of engine.programOutput(
        program(
          commandOf([
            { do: 'pour', bytes: 50_000_000 },
            { do: 'say', text: 'written', on: 'stderr' },
          ]),
        ),
        { signal, onLine: () => void (taken = taken === 0 ? -1 : taken) },
      )) {
        if (taken === 0) await sleep(1500);
        // It had written everything although only the first part was taken.
        expect(taken).not.toBe(-1);
        taken += part.length;
        if (taken > 20_000_000) break;
      }
      expect(await left()).toEqual([]);
    });

    test('that has ended gives the rest of its output to whoever waits, too', async () => {
      // It fits between the two, so that the program can end while nobody takes it.
      const bytes = 1_000_000;
      let taken = 0;
      for await (const part of engine.programOutput(program(commandOf([{ do: 'pour', bytes }])), {
        signal,
        onLine: () => undefined,
      })) {
        // An engine drops what nobody took of it two seconds after its end.
        if (taken === 0)
          await until('its end', async () => (await engine.containers(label))[0]?.state === 'exited', 60_000);
        taken += part.length;
      }
      expect(taken).toBe(bytes);
    });

    test('ends with its signal, and one left behind is removed by its label', async () => {
      const stop = new AbortController();
      const running = (async () => {
        for await (const _part of engine.programOutput(
          program(commandOf([{ do: 'say', text: 'begun' }, { do: 'stay' }])),
          {
            signal: stop.signal,
            onLine: () => undefined,
          },
        ))
          stop.abort(new Error('told to stop'));
      })();
      await expect(running).rejects.toThrow('told to stop');
      expect(await left()).toEqual([]);
      const [ours, stranger] = [uniqueName('left'), uniqueName('stranger')];
      const labels = { 'berth.managed': 'true', 'berth.test-program': network };
      for (const [name, Labels] of [
        [ours, overridingAll(ours, labels)],
        [stranger, labels],
      ] as const)
        await api.send({
          method: 'POST',
          path: '/containers/create',
          query: { name },
          body: { Image: nodeImage, Labels },
          doing: 'leaving one',
        });
      expect(await engine.removeContainers(label)).toBe(1);
      await api.send({ method: 'DELETE', path: `/containers/${stranger}`, doing: 'removing the stranger' });
    });
  });
}
