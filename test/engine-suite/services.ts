/** Services: made, changed, scaled, restarted, taken back, removed; and what is refused. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  answering,
  idleService,
  otherImage,
  listens,
  nodeImage,
  stepService,
  uniqueName,
  until,
  untilRunning,
  type EngineFixture,
} from './fixture.ts';

export function servicesSuite({ engine, api }: EngineFixture): void {
  const made: string[] = [];

  function name(what: string): string {
    const unique = uniqueName(what);
    made.push(unique);
    return unique;
  }

  afterAll(async () => {
    await Promise.all(made.map((each) => engine.removeService(each)));
  });

  const inspected = z.looseObject({
    Spec: z.looseObject({
      TaskTemplate: z.looseObject({
        ContainerSpec: z.looseObject({ Image: z.string(), Env: z.array(z.string()) }),
      }),
    }),
  });
  const anything = z.unknown();

  test('the engine says what it is', async () => {
    expect(await engine.info()).toEqual({
      version: expect.stringMatching(/^\d+\.\d+/),
      nodeId: expect.stringMatching(/^[a-z0-9]{25}$/),
      isManager: true,
      rootDirectory: '/var/lib/docker',
      cgroupVersion: expect.stringMatching(/^[12]$/),
    });
  });

  describe('a service', () => {
    test('is created, runs, and is described by the engine as it was asked for', async () => {
      const spec = stepService(name('create'), answering, {
        release: 'r1',
        healthCheck: listens,
        env: ['VERSION=1', 'ODD=a "b" $(c)\nd'],
      });
      const applied = await engine.applyService(spec);
      expect(applied).toMatchObject({ created: true, generation: `${engine.specDigest(spec)}.0` });
      await untilRunning(engine, spec.name);
      expect(await engine.service(spec.name)).toMatchObject({
        id: applied.id,
        name: spec.name,
        labels: { 'berth.managed': 'true', 'berth.test': 'true', 'berth.release': 'r1' },
        image: nodeImage,
        replicas: 1,
        running: 1,
        specDigest: engine.specDigest(spec),
        generation: applied.generation,
        update: undefined,
      });
      const [task] = await engine.tasks(spec.name);
      expect(task).toMatchObject({
        state: 'running',
        desiredState: 'running',
        error: '',
        exitCode: undefined,
        image: nodeImage,
        generation: applied.generation,
      });
      const { Spec } = await api.call(
        { method: 'GET', path: `/services/${spec.name}`, doing: 'the test' },
        inspected,
      );
      expect(Spec.TaskTemplate.ContainerSpec.Env).toEqual(spec.env);
      expect((await engine.services()).find((each) => each.name === spec.name)).toMatchObject({
        running: 1,
        generation: applied.generation,
      });
      expect((await engine.containers(`com.docker.swarm.service.name=${spec.name}`))[0]).toMatchObject({
        id: task?.containerId,
        state: 'running',
        labels: { 'berth.release': 'r1' },
      });
    });

    test('with restart: on-failure is not started again once it has ended with 0', async () => {
      const spec = stepService(name('once'), [{ do: 'exit', code: 0 }], { restart: 'on-failure' });
      const failing = stepService(name('again'), [{ do: 'exit', code: 3 }], {
        restart: 'on-failure',
        restartDelayMs: 200,
      });
      await engine.applyService(spec);
      await engine.applyService(failing);
      const states = async (of: string): Promise<string[]> =>
        (await engine.tasks(of)).map(({ state }) => state);
      await until('it failed twice', async () => {
        const ended = (await states(failing.name)).filter((state) => state === 'failed');
        return ended.length >= 2;
      });
      await until('it is done', async () => (await states(spec.name)).includes('complete'));
      expect(await states(spec.name)).toEqual(['complete']);
      expect(await engine.service(spec.name)).toMatchObject({
        restart: 'on-failure',
        running: 0,
        replicas: 1,
      });
      const [task] = await engine.tasks(spec.name);
      const end = await engine.containerEnd(task?.containerId ?? '');
      expect(Date.parse(end?.finishedAt ?? '')).toBeLessThanOrEqual(Date.parse(task?.stateAt ?? ''));
    });

    test('of an image that only this node has is pinned to it, so that no registry is asked', async () => {
      const spec = idleService(name('pin'), { replicas: 0 });
      await engine.applyService(spec);
      const { Spec } = await api.call(
        { method: 'GET', path: `/services/${spec.name}`, doing: 'the test' },
        inspected,
      );
      expect(Spec.TaskTemplate.ContainerSpec.Image).toBe((await engine.image(nodeImage))?.id);
    });

    test('applied again without a change gets no new task, and a new one for a new release', async () => {
      const spec = idleService(name('again'), { release: 'r1' });
      await engine.applyService(spec);
      await untilRunning(engine, spec.name);
      const again = await engine.applyService(spec);
      expect(again.created).toBe(false);
      await sleep(1_000);
      expect(await engine.tasks(spec.name)).toHaveLength(1);
      // The image's name now means another image, which is no change of the specification either.
      const tag = `${uniqueName('moved')}:1`;
      await engine.tagImage(nodeImage, tag);
      const moved = { ...spec, name: name('moved'), image: tag };
      await engine.applyService(moved);
      await untilRunning(engine, moved.name);
      await engine.tagImage(otherImage, tag);
      await engine.applyService(moved);
      await sleep(1_000);
      expect(await engine.tasks(moved.name)).toHaveLength(1);
      await engine.removeImage(tag);
      const next = await engine.applyService({ ...spec, release: 'r2' });
      expect(next.generation).not.toBe(again.generation);
      await until('a second task', async () => (await engine.tasks(spec.name)).length === 2);
    });

    test('is scaled and restarted, and keeps its count of restarts when it is applied', async () => {
      const spec = idleService(name('scale'));
      const applied = await engine.applyService(spec);
      await untilRunning(engine, spec.name);
      await engine.scaleService(spec.name, 2);
      await untilRunning(engine, spec.name, 2);
      expect((await engine.service(spec.name))?.generation).toBe(applied.generation);
      const restarted = await engine.restartService(spec.name);
      expect(restarted.generation).toBe(`${engine.specDigest(spec)}.1`);
      await until('two tasks of the new generation', async () => {
        const tasks = await engine.tasks(spec.name);
        return (
          tasks.filter((task) => task.generation === restarted.generation && task.state === 'running')
            .length === 2
        );
      });
      expect((await engine.applyService({ ...spec, replicas: 2 })).generation).toBe(restarted.generation);
      await engine.scaleService(spec.name, 0);
      await untilRunning(engine, spec.name, 0);
    });

    test('survives many writers at once', async () => {
      // No node takes its tasks, so that nothing is started for a number that the next writer changes.
      const spec = idleService(name('writers'), { constraints: ['node.hostname==nowhere'] });
      await engine.applyService(spec);
      await Promise.all([1, 2, 3, 4].map((replicas) => engine.scaleService(spec.name, replicas)));
      expect([1, 2, 3, 4]).toContain((await engine.service(spec.name))?.replicas);
    });

    test('goes back to its former specification when asked', async () => {
      const spec = idleService(name('back'));
      await expect(engine.rollbackService(spec.name)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      const first = await engine.applyService(spec);
      await expect(engine.rollbackService(spec.name)).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
      await untilRunning(engine, spec.name);
      await engine.applyService({ ...spec, constraints: ['node.hostname==nowhere'] });
      await until('a task that finds no node', async () =>
        (await engine.tasks(spec.name)).some((task) => /no suitable node/.test(task.error)),
      );
      expect((await engine.rollbackService(spec.name)).generation).toBe(first.generation);
      await until(
        'the end of the rollback',
        async () => (await engine.service(spec.name))?.update?.state === 'rollback_completed',
      );
      expect((await engine.service(spec.name))?.running).toBe(1);
    });

    test('is removed with its containers; an absent one is no error', async () => {
      const spec = idleService(name('remove'));
      const { id } = await engine.applyService(spec);
      await untilRunning(engine, spec.name);
      await engine.removeService(spec.name);
      expect(await engine.service(spec.name)).toBeUndefined();
      expect(await engine.tasks(spec.name)).toEqual([]);
      expect(await engine.containers(`com.docker.swarm.service.id=${id}`)).toEqual([]);
      await engine.removeService(spec.name);
    });
  });

  describe('what the engine refuses is said in its words', () => {
    test('a name', async () => {
      await expect(engine.applyService(stepService('a.b', answering))).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining('name must be valid'),
      });
    });

    test('a network that is not there', async () => {
      await expect(
        engine.applyService(stepService(name('net'), answering, { networks: ['t-nowhere'] })),
      ).rejects.toThrow(/t-nowhere/);
    });

    test('a change of a service that is not there', async () => {
      await expect(engine.scaleService('t-nobody', 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(engine.restartService('t-nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(await engine.service('t-nobody')).toBeUndefined();
      expect(await engine.tasks('t-nobody')).toEqual([]);
    });
  });

  describe('a service that Berth did not make', () => {
    async function foreign(): Promise<string> {
      const foreignName = uniqueName('Foreign');
      const spec = {
        Name: foreignName,
        TaskTemplate: { ContainerSpec: { Image: nodeImage, Command: ['sleep', '1000'] } },
        Mode: { Replicated: { Replicas: 0 } },
      };
      await api.call({ method: 'POST', path: '/services/create', body: spec, doing: 'the test' }, anything);
      return foreignName;
    }

    test('is refused and stays as it is', async () => {
      const other = await foreign();
      const before = await api.call(
        { method: 'GET', path: `/services/${other}`, doing: 'the test' },
        anything,
      );
      const conflict = { code: 'CONFLICT', message: expect.stringContaining(other) };
      await expect(engine.applyService(stepService(other, answering))).rejects.toMatchObject(conflict);
      await expect(engine.scaleService(other, 3)).rejects.toMatchObject(conflict);
      await expect(engine.restartService(other)).rejects.toMatchObject(conflict);
      await expect(engine.removeService(other)).rejects.toMatchObject(conflict);
      expect((await engine.services()).map((each) => each.name)).not.toContain(other);
      expect(
        await api.call({ method: 'GET', path: `/services/${other}`, doing: 'the test' }, anything),
      ).toEqual(before);
      await api.send({ method: 'DELETE', path: `/services/${other}`, doing: 'the test' });
    });

    test('is not taken for one of another case, or for the beginning of its id', async () => {
      const other = await foreign();
      const { ID: id } = await api.call(
        { method: 'GET', path: `/services/${other}`, doing: 'the test' },
        z.looseObject({ ID: z.string() }),
      );
      expect(await engine.service(other.toLowerCase())).toBeUndefined();
      expect(await engine.service(id.slice(0, 12))).toBeUndefined();
      await expect(engine.applyService(stepService(other.toLowerCase(), answering))).rejects.toMatchObject({
        code: 'CONFLICT',
      });
      await api.send({ method: 'DELETE', path: `/services/${other}`, doing: 'the test' });
    });
  });
}
