/** Containers that stand beside all services: made, replaced, settled or put back. */
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { EngineClient } from '../../server/src/adapters/engine/client/engine-client.ts';
import { isAbsent } from '../../server/src/adapters/engine/client/engine-error.ts';
import { createStanding } from '../../server/src/adapters/engine/exec/standing-container.ts';
import type { Standing, StandingContainer } from '../../server/src/ports/engine/standing.ts';
import { nodeImage, uniqueName, type EngineFixture } from './fixture.ts';
import { commandOf } from './steps.ts';

const found = z.object({
  State: z.object({ Running: z.boolean() }),
  Config: z.object({ Env: z.array(z.string()) }),
  HostConfig: z.object({ RestartPolicy: z.object({ Name: z.string() }) }),
});

/** `chosen` takes those of the points of breaking off that are tried. */
export function standingSuite(
  { api }: EngineFixture,
  chosen = <T>(points: readonly T[]): readonly T[] => points,
): void {
  const standing = createStanding({ client: api });
  const made: string[] = [];
  const container = (name: string, version: string): StandingContainer => ({
    name,
    image: nodeImage,
    labels: {},
    env: [`VERSION=${version}`],
    command: commandOf([{ do: 'obeyStop' }, { do: 'stay' }]),
    mounts: [],
    ports: [],
  });
  /** A container of version 1 that runs. */
  const newOne = async (): Promise<string> => {
    const name = newName();
    await standing.replace(container(name, '1'));
    return name;
  };
  const newName = (): string => {
    const name = uniqueName('standing');
    made.push(name);
    return name;
  };
  /** "running 1": whether it runs, which version it is; with the policy when it is not always restarted. */
  async function stateOf(name: string): Promise<string> {
    try {
      const path = `/containers/${name}/json`;
      const { State, Config, HostConfig } = await api.call(
        { method: 'GET', path, doing: 'reading a container' },
        found,
      );
      const version = Config.Env.find((one) => one.startsWith('VERSION='))?.slice(8) ?? '';
      const policy = HostConfig.RestartPolicy.Name === 'always' ? '' : ', not restarted';
      return `${State.Running ? 'running' : 'stopped'} ${version}${policy}`;
    } catch (error) {
      if (isAbsent(error)) return 'absent';
      throw error;
    }
  }
  const states = async (name: string): Promise<string[]> => [
    await stateOf(name),
    await stateOf(`${name}-former`),
  ];
  afterEach(async () => {
    for (const name of made.splice(0)) await standing.remove(name);
  });

  test('one that differs is kept until its successor is settled', async () => {
    const name = newName();
    expect(await standing.look(container(name, '1'))).toBe('absent');
    expect(await standing.replace(container(name, '1'))).toBe(true);
    expect(await standing.look(container(name, '1'))).toBe('running');
    expect(await standing.replace(container(name, '1'))).toBe(false);
    expect(await standing.look(container(name, '2'))).toBe('renewing');
    expect(await standing.replace(container(name, '2'))).toBe(true);
    expect(await states(name)).toEqual(['running 2', 'stopped 1, not restarted']);
    expect([await standing.look(container(name, '2')), await standing.isUnsettled(name)]).toEqual([
      'renewing',
      true,
    ]);
    await standing.settle(name);
    expect(await states(name)).toEqual(['running 2', 'absent']);
    expect([await standing.look(container(name, '2')), await standing.isUnsettled(name)]).toEqual([
      'running',
      false,
    ]);
  });

  test('the former one takes its place again, and comes back with the engine as before', async () => {
    const name = newName();
    await standing.replace(container(name, '1'));
    await standing.replace(container(name, '2'));
    await standing.putBack(name);
    expect(await states(name)).toEqual(['running 1', 'absent']);
    // A third one that comes before the second was settled: the first, which worked, stays the way back.
    await standing.replace(container(name, '2'));
    await standing.replace(container(name, '3'));
    expect(await states(name)).toEqual(['running 3', 'stopped 1, not restarted']);
    expect(await standing.replace(container(name, '1'))).toBe(true);
    expect(await states(name)).toEqual(['running 1', 'absent']);
  });

  test('broken off at any call, it goes on or goes back, and one of the two runs', async () => {
    const ends: ((again: Standing, name: string) => Promise<string>)[] = [
      async (again, name) => {
        await again.replace(container(name, '2'));
        await again.settle(name);
        return 'running 2';
      },
      async (again, name) => {
        await again.putBack(name);
        return 'running 1';
      },
    ];
    const whole = await newOne();
    const counting = breakingAt(api, Infinity);
    await createStanding({ client: counting.client }).replace(container(whole, '2'));
    const calls = counting.calls();
    expect(calls).toBeGreaterThanOrEqual(8);
    const points = ends.flatMap((end) =>
      Array.from({ length: calls }, (_, index) => ({ end, at: index + 1 })),
    );
    for (const { end, at } of chosen(points)) {
      const name = await newOne();
      const { client } = breakingAt(api, at);
      await expect(createStanding({ client }).replace(container(name, '2'))).rejects.toThrow('killed');
      const expected = await end(standing, name);
      expect(await states(name), `ended at call ${at} of ${calls}`).toEqual([expected, 'absent']);
    }
  });

  test('it and its former one are removed, and one of others stays', async () => {
    const name = newName();
    await standing.replace(container(name, '1'));
    await standing.replace(container(name, '2'));
    await standing.remove(name);
    expect(await states(name)).toEqual(['absent', 'absent']);
    const body = { Image: nodeImage, Cmd: ['sleep', '600'] };
    const create = { method: 'POST', path: '/containers/create', query: { name }, body } as const;
    await api.send({ ...create, doing: 'making a container of others' });
    await standing.remove(name);
    expect(await stateOf(name)).toContain('stopped');
    await api.send({ method: 'DELETE', path: `/containers/${name}`, doing: 'removing it' });
  });
}

/** A client whose caller dies in place of its call of this number. */
function breakingAt(api: EngineClient, last: number): { client: EngineClient; calls(): number } {
  let calls = 0;
  function counted(): void {
    calls += 1;
    if (calls >= last) throw new Error('killed');
  }
  const client: EngineClient = {
    ...api,
    async call(request, shape) {
      counted();
      return api.call(request, shape);
    },
    async send(request) {
      counted();
      await api.send(request);
    },
  };
  return { client, calls: () => calls };
}
