/** Containers that stand beside all services: made, replaced with the former one kept, settled or put back. */
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { EngineClient } from '../../server/src/adapters/engine/client/engine-client.ts';
import { isAbsent } from '../../server/src/adapters/engine/client/engine-error.ts';
import { createStanding } from '../../server/src/adapters/engine/exec/standing-container.ts';
import type { Standing, StandingContainer } from '../../server/src/ports/engine/standing.ts';
import { nodeImage, uniqueName, type EngineFixture } from './fixture.ts';

const found = z.object({
  State: z.object({ Running: z.boolean() }),
  Config: z.object({ Env: z.array(z.string()) }),
  HostConfig: z.object({ RestartPolicy: z.object({ Name: z.string() }) }),
});

export function standingSuite({ api }: EngineFixture): void {
  const standing = createStanding({ client: api });
  const made: string[] = [];
  const container = (name: string, version: string): StandingContainer => ({
    name,
    image: nodeImage,
    labels: {},
    env: [`VERSION=${version}`],
    command: ['sleep', '600'],
    mounts: [],
    ports: [],
  });
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
    let calls = 0;
    for (const end of ends)
      for (let at = 1; ; at += 1) {
        const name = newName();
        await standing.replace(container(name, '1'));
        const dying = breakingAt(api, at);
        const isOver = await createStanding({ client: dying })
          .replace(container(name, '2'))
          .then(
            () => true,
            () => false,
          );
        const wasReplaced = (await stateOf(`${name}-former`)) !== 'absent';
        const expected = await end(standing, name);
        // Before anything happened the way back is the one that runs.
        expect(await states(name), `${wasReplaced ? 'after' : 'before'} the call ${at}`).toEqual([
          expected,
          'absent',
        ]);
        if (isOver) break;
        calls += 1;
      }
    expect(calls).toBeGreaterThanOrEqual(14);
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

/** The same, whose caller dies in place of its call of this number. */
function breakingAt(api: EngineClient, last: number): EngineClient {
  let calls = 0;
  function counted(): void {
    calls += 1;
    if (calls >= last) throw new Error('killed');
  }
  return {
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
}
