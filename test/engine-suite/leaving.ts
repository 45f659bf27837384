/** Containers that were told to end and do not; volumes of tasks. */
import { expect, test } from 'vitest';
import { idleService, stepService, uniqueName, until, untilRunning, type EngineFixture } from './fixture.ts';

export function leavingSuite({ engine }: EngineFixture): void {
  const leaving = async (name: string): Promise<string[]> =>
    (await engine.leavingContainers())
      .filter(({ labels }) => labels['com.docker.swarm.service.name'] === name)
      .map(({ id }) => id);

  test('a container that outlives its service is found, and ended by SIGKILL', async () => {
    const spec = stepService(uniqueName('ghost'), [{ do: 'stay' }], {
      container: { init: false },
      stopGracePeriodMs: 3_600_000,
    });
    await engine.applyService(spec);
    await untilRunning(engine, spec.name);
    expect(await leaving(spec.name)).toEqual([]);
    await expect(engine.removeService(spec.name, { limitMs: 3000 })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await engine.service(spec.name)).toBeUndefined();
    const [ghost = ''] = await until('a ghost', async () => {
      const found = await leaving(spec.name);
      return found.length > 0 && found;
    });
    // The manager still tells the task, by which a node that manages nothing finds the container.
    const told = await engine.leavingTasks();
    const found = async (tasks: ReadonlySet<string>): Promise<string[]> =>
      (await engine.leavingContainers(tasks)).map(({ id }) => id);
    expect(await found(told)).toContain(ghost);
    expect(await found(new Set())).toEqual([]);
    await engine.killContainer(ghost);
    await until('its end', async () => (await leaving(spec.name)).length === 0);
    await engine.killContainer(ghost);
    await engine.killContainer('nowhere');
  }, 120_000);

  test('a volume of each slot has its number', async () => {
    const source = uniqueName('slot');
    const spec = idleService(uniqueName('slots'), {
      replicas: 2,
      mounts: [{ type: 'volume', source, target: '/data', perSlot: true }],
    });
    await engine.applyService(spec);
    await untilRunning(engine, spec.name, 2);
    const made = (await engine.volumes('berth.managed')).filter((name) => name.startsWith(source));
    expect(made).toEqual([`${source}-1`, `${source}-2`]);
    expect(await engine.hasVolume(`${source}-1`)).toBe(true);
    expect(await engine.hasVolume(source)).toBe(false);
    await engine.removeService(spec.name);
    for (const name of made) await engine.removeVolume(name);
  }, 120_000);
}
