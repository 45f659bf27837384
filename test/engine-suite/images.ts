/** Images of the node, and registries that they come from and go to. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { builtPrefix } from '../../server/src/domain/names/image-reference.ts';
import { Secret } from '../../server/src/domain/secrets/secret.ts';
import type { RegistryAuth } from '../../server/src/ports/engine/registry-auth.ts';
import {
  databaseImage,
  idleService,
  nodeImage,
  uniqueName,
  until,
  untilRunning,
  type EngineFixture,
} from './fixture.ts';

export function imagesSuite({ engine, view, api, registries }: EngineFixture): void {
  const repository = uniqueName('image');
  let open = '';
  let nowhere = '';
  let inOpen = '';
  let secured = '';
  let inSecured = '';
  let auth: RegistryAuth;
  let badAuth: RegistryAuth;
  const signal = new AbortController().signal;
  /** One static program of 2 MB, so that pushing it costs little. */
  const smallImage = `${uniqueName('small')}:1`;

  beforeAll(async () => {
    const found = await registries();
    ({ open, secured, nowhere } = found);
    auth = { username: found.username, password: new Secret(found.password), serverAddress: secured };
    badAuth = { ...auth, password: new Secret('wrong') };
    inOpen = `${open}/${repository}:1`;
    inSecured = `${secured}/${repository}:1`;
    await found.makeSmallImage(smallImage);
  });

  afterAll(async () => {
    for (const tag of [inOpen, inSecured, smallImage]) await engine.removeImage(tag);
  });

  const pinned = z.looseObject({
    Spec: z.looseObject({
      TaskTemplate: z.looseObject({ ContainerSpec: z.looseObject({ Image: z.string() }) }),
    }),
  });

  function transfer(change: { auth?: RegistryAuth; signal?: AbortSignal } = {}) {
    const lines: string[] = [];
    return { lines, options: { signal, onLine: (line: string) => lines.push(line), ...change } };
  }

  test('an image of the node is described; an absent one is not there', async () => {
    expect(await engine.image(databaseImage)).toMatchObject({
      id: expect.stringMatching(/^sha256:/),
      tags: expect.arrayContaining([databaseImage]),
      createdAt: expect.stringMatching(/^20/),
      sizeBytes: expect.any(Number),
      hasHealthCheck: false,
      exposedPorts: [5432],
    });
    expect(await engine.image('berth/there-is-none:1')).toBeUndefined();
    await engine.removeImage('berth/there-is-none:1');
  });

  test('images are listed by label, with what their recipe says', async () => {
    const tag = `${builtPrefix}${uniqueName('made')}:1`;
    const named = `${uniqueName('by-hand')}:1`;
    const container = await api.call(
      {
        method: 'POST',
        path: '/containers/create',
        body: { Image: nodeImage, Cmd: ['true'] },
        doing: 'the test',
      },
      z.looseObject({ Id: z.string() }),
    );
    const body = {
      Labels: { 'berth.test-image': tag },
      ExposedPorts: { '8080/tcp': {}, '53/udp': {}, '80/tcp': {} },
      Healthcheck: { Test: ['CMD', 'true'] },
    };
    for (const each of [tag, named]) await commit(container.Id, each, body);
    await api.send({ method: 'DELETE', path: `/containers/${container.Id}`, doing: 'the test' });
    // Named by hand, it only has the label: it is not listed, and stays.
    expect(await engine.images(`berth.test-image=${tag}`)).toMatchObject([
      { tags: [tag], hasHealthCheck: true, exposedPorts: [80, 8080], labels: { 'berth.test-image': tag } },
    ]);
    await engine.removeImage(tag);
    expect(await engine.images(`berth.test-image=${tag}`)).toEqual([]);
    expect(await engine.image(named)).toMatchObject({ tags: [named] });
    await engine.removeImage(named);
  });

  test('a container from an image that was committed from a task is not of its service', async () => {
    const [service, copy] = [uniqueName('committed'), uniqueName('copy')];
    const image = `${copy}:1`;
    const label = `berth.application=${service}`;
    await engine.applyService(idleService(service, { labels: { 'berth.application': service } }));
    await untilRunning(engine, service);
    const [task] = await engine.containers(label);
    await commit(task?.id ?? '', image);
    const { Id: id } = await api.call(
      {
        method: 'POST',
        path: '/containers/create',
        query: { name: copy },
        body: { Image: image },
        doing: 'the test',
      },
      z.looseObject({ Id: z.string() }),
    );
    await api.send({ method: 'POST', path: `/containers/${id}/start`, doing: 'the test' });
    expect((await engine.containers(label)).map((one) => one.id)).toEqual([task?.id]);
    expect((await view.container(id))?.labels).not.toHaveProperty('com.docker.swarm.task.id');
    await engine.removeService(service);
    expect(await engine.containers(label)).toEqual([]);
    expect((await engine.leavingContainers()).map((one) => one.id)).not.toContain(id);
    expect((await view.allContainers()).find((one) => one.id === id)?.state).toBe('running');
    await api.send({
      method: 'DELETE',
      path: `/containers/${id}`,
      query: { force: true },
      doing: 'the test',
    });
    await engine.removeImage(image);
  });

  const commit = (container: string, tag: string, body: Record<string, unknown> = {}): Promise<void> => {
    const [repo = '', version = ''] = tag.split(':');
    const query = { container, repo, tag: version };
    return api.send({ method: 'POST', path: '/commit', query, body, doing: 'the test' });
  };

  describe('a registry', () => {
    test('takes and gives an image', async () => {
      await engine.tagImage(smallImage, inOpen);
      const push = transfer();
      await engine.pushImage(inOpen, push.options);
      expect(push.lines.join('\n')).toMatch(/digest: sha256:/);
      expect(push.lines.length).toBeLessThan(40);
      await engine.removeImage(inOpen);
      expect(await engine.image(inOpen)).toBeUndefined();
      const pull = transfer();
      await engine.pullImage(inOpen, pull.options);
      expect(pull.lines.join('\n')).toMatch(/Status: /);
      expect((await engine.image(inOpen))?.tags).toContain(inOpen);
      const spec = idleService(uniqueName('digest'), { image: inOpen, replicas: 0 });
      await engine.applyService(spec);
      const { Spec } = await api.call(
        { method: 'GET', path: `/services/${spec.name}`, doing: 'the test' },
        pinned,
      );
      expect(Spec.TaskTemplate.ContainerSpec.Image).toMatch(new RegExp(`^${inOpen}@sha256:[0-9a-f]{64}$`));
      expect((await engine.service(spec.name))?.image).toBe(inOpen);
      await engine.removeService(spec.name);
    });

    test('with a login checks it', async () => {
      await engine.checkRegistry(auth);
      await expect(engine.checkRegistry(badAuth)).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringMatching(/unauthorized/i),
      });
      await expect(engine.checkRegistry({ ...auth, serverAddress: nowhere })).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringMatching(/refused/),
      });
    });

    test('with a login refuses everyone else, and nobody sees the password', async () => {
      await engine.tagImage(smallImage, inSecured);
      for (const wrong of [undefined, badAuth]) {
        const refusal: unknown = await engine
          .pushImage(inSecured, transfer(wrong === undefined ? {} : { auth: wrong }).options)
          .catch((error: unknown) => error);
        expect(refusal).toMatchObject({ code: 'FORBIDDEN', message: expect.stringContaining(inSecured) });
        expect(String(refusal)).not.toContain('wrong');
      }
      await engine.pushImage(inSecured, transfer({ auth }).options);
      await engine.removeImage(inSecured);
      await expect(engine.pullImage(inSecured, transfer().options)).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
      await engine.pullImage(inSecured, transfer({ auth }).options);
      expect(await engine.image(inSecured)).toBeDefined();
    });

    test('is asked for an image without pulling it, and answers whom it would give it', async () => {
      const digest = await engine.askRegistry(inSecured, { signal, auth });
      expect((await engine.image(inSecured))?.digests).toContain(`${secured}/${repository}@${digest}`);
      for (const wrong of [undefined, badAuth])
        await expect(engine.askRegistry(inSecured, { signal, auth: wrong })).rejects.toMatchObject({
          code: 'FORBIDDEN',
        });
      await expect(engine.askRegistry(`${open}/${repository}:none`, { signal })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
      await expect(engine.askRegistry(`${nowhere}/a:1`, { signal })).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
      });
    });

    test('without the image says so', async () => {
      await expect(engine.pullImage(`${open}/${repository}:none`, transfer().options)).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: expect.stringMatching(/manifest .*unknown|not found/),
      });
    });

    test('that nobody runs is unavailable', async () => {
      await expect(engine.pullImage(`${nowhere}/a:1`, transfer().options)).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: expect.stringMatching(/refused/),
      });
    });

    test('is left when aborted', async () => {
      const { options } = transfer({ signal: AbortSignal.timeout(50) });
      await engine.tagImage(nodeImage, `${open}/${repository}:big`);
      await expect(engine.pushImage(`${open}/${repository}:big`, options)).rejects.toMatchObject({
        name: 'TimeoutError',
      });
      await engine.removeImage(`${open}/${repository}:big`);
    });

    test('gives a service its image with the credentials of its specification', async () => {
      const image = `${secured}/${repository}:private`;
      await engine.tagImage(smallImage, image);
      await engine.pushImage(image, transfer({ auth }).options);
      await engine.removeImage(image);
      const spec = idleService(uniqueName('private'), { image, command: ['/busybox', 'sleep', '1000'] });
      await engine.applyService(spec);
      await until('the engine is refused the image', async () =>
        (await engine.tasks(spec.name)).some((task) => task.state === 'rejected'),
      );
      await engine.applyService({ ...spec, registryAuth: auth, release: 'r2' });
      await untilRunning(engine, spec.name);
      expect((await engine.image(image))?.tags).toContain(image);
      await engine.removeService(spec.name);
      await engine.removeImage(image);
    });
  });

  test("an image of set-up's names is pulled from nowhere, nor left to the engine to pull", async () => {
    const image = 'berth/there-is-none:1';
    const missing = { code: 'PRECONDITION_FAILED', message: expect.stringContaining('Run bin/up again') };
    await expect(engine.pullImage(image, transfer().options)).rejects.toMatchObject(missing);
    await expect(engine.askRegistry(`docker.io/${image}`, { signal })).rejects.toMatchObject(missing);
    await expect(engine.applyService(idleService(uniqueName('ours'), { image }))).rejects.toMatchObject(
      missing,
    );
  });

  test('an image in use keeps its layers and is no error', async () => {
    const tag = `${uniqueName('used')}:1`;
    await engine.tagImage(nodeImage, tag);
    const spec = idleService(uniqueName('uses'), { image: tag });
    await engine.applyService(spec);
    await untilRunning(engine, spec.name);
    await engine.removeImage(tag);
    expect((await engine.service(spec.name))?.running).toBe(1);
    await engine.removeService(spec.name);
    await engine.removeImage(tag);
  });
}
