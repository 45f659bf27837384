/** Networks and who is on them; files and volumes of services. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { networkMembersAnswer } from '../../server/src/adapters/engine/services/answers.ts';
import { newestDefaults } from '../../server/src/ports/engine/spec-defaults.ts';
import { overridingAll } from '../../server/src/adapters/engine/client/labels.ts';
import { testInstallation } from '../installation.ts';
import {
  answering,
  idleService,
  nodeImage,
  stepService,
  uniqueName,
  until,
  untilRunning,
  type EngineFixture,
} from './fixture.ts';
import type { Step } from './steps.ts';

export function networksSuite({ engine, api }: EngineFixture): void {
  const first = uniqueName('net1');
  const second = uniqueName('net2');
  const created = z.looseObject({ Id: z.string() });

  beforeAll(async () => {
    await engine.ensureNetwork({
      name: first,
      subnet: '10.210.1.0/24',
      labels: { 'berth.environment': 'e1' },
    });
    await engine.ensureNetwork({ name: second, subnet: '10.210.2.0/24', labels: {} });
  });

  afterAll(async () => {
    await engine.removeNetwork(first);
    await engine.removeNetwork(second);
  });

  describe('a network', () => {
    test('is made once, with its subnet and labels, also by many at once', async () => {
      const name = uniqueName('race');
      const spec = { name, subnet: '10.210.3.0/24', labels: { 'berth.environment': 'e3' } };
      await Promise.all([1, 2, 3, 4].map(() => engine.ensureNetwork(spec)));
      const found = (await engine.networks()).filter((network) => network.name === name);
      expect(found).toEqual([
        {
          ...spec,
          id: expect.any(String),
          subnets: [spec.subnet],
          labels: {
            'berth.environment': 'e3',
            'berth.managed': 'true',
            'berth.installation': testInstallation,
          },
        },
      ]);
      await engine.removeNetwork(name);
      expect((await engine.networks()).map((network) => network.name)).not.toContain(name);
      await engine.removeNetwork(name);
    });

    test('whose addresses another network has is refused, naming that', async () => {
      const name = uniqueName('taken');
      await expect(engine.ensureNetwork({ name, subnet: '10.210.0.0/16', labels: {} })).rejects.toMatchObject(
        {
          code: 'CONFLICT',
          message: expect.stringMatching(/10\.210\.\d\.0\/24/),
        },
      );
      expect((await engine.networks()).map((network) => network.name)).not.toContain(name);
    });

    test('whose addresses others have is made with those that it is given then', async () => {
      const name = uniqueName('next');
      const asked: (readonly string[])[] = [];
      const another = async (taken: readonly string[]): Promise<string> => {
        asked.push(taken);
        return asked.length === 1 ? '10.210.2.0/24' : '10.210.5.0/24';
      };
      const spec = { name, subnet: '10.210.1.0/24', labels: {} };
      await engine.ensureNetwork(spec, { another });
      expect(asked).toHaveLength(2);
      expect(asked[0]).toEqual(expect.arrayContaining(['10.210.1.0/24', '10.210.2.0/24']));
      const subnet = async () => (await engine.networks()).find((each) => each.name === name)?.subnet;
      expect(await subnet()).toBe('10.210.5.0/24');
      // What is there keeps what it has.
      await engine.ensureNetwork(spec, { another });
      expect(await subnet()).toBe('10.210.5.0/24');
      expect(asked).toHaveLength(2);
      await engine.removeNetwork(name);
    });

    test.each([
      ['a second range of another', ['10.210.20.0/24', '10.210.21.0/24'], {}],
      // An engine lists them in either order.
      [
        'addresses beside those of IPv6',
        ['fd00:210::/64', '10.210.21.0/24'],
        { Driver: 'bridge', EnableIPv6: true },
      ],
    ])('avoids %s', async (_, subnets, kind) => {
      const [theirs, name] = [uniqueName('several'), uniqueName('beside')];
      const body = {
        Driver: 'overlay',
        ...kind,
        Name: theirs,
        IPAM: { Config: subnets.map((subnet) => ({ Subnet: subnet })) },
      };
      const path = '/networks/create';
      const { Id: id } = await api.call({ method: 'POST', path, body, doing: 'the test' }, created);
      const asked: (readonly string[])[] = [];
      const another = async (taken: readonly string[]): Promise<string> => {
        asked.push(taken);
        return '10.210.22.0/24';
      };
      await engine.ensureNetwork({ name, subnet: '10.210.21.0/24', labels: {} }, { another });
      expect(asked).toEqual([expect.arrayContaining(subnets)]);
      expect((await engine.networks()).find((each) => each.name === name)?.subnet).toBe('10.210.22.0/24');
      await engine.removeNetwork(name);
      await api.send({ method: 'DELETE', path: `/networks/${id}`, doing: 'the test' });
    });

    test('that the engine left without addresses is not taken for a working one', async () => {
      const name = uniqueName('half');
      const half = {
        Name: name,
        Driver: 'overlay',
        Attachable: true,
        IPAM: { Config: [{ Subnet: '10.210.1.0/24' }] },
        Labels: { 'berth.managed': 'true' },
      };
      await api.send({ method: 'POST', path: '/networks/create', body: half, doing: 'the test' });
      await expect(engine.ensureNetwork({ name, subnet: '10.210.1.0/24', labels: {} })).rejects.toMatchObject(
        {
          code: 'CONFLICT',
          message: expect.stringContaining(first),
        },
      );
      await engine.removeNetwork(name);
    });

    test('that Berth did not make is refused and stays', async () => {
      const name = uniqueName('foreign');
      const { Id: id } = await api.call(
        {
          method: 'POST',
          path: '/networks/create',
          body: { Name: name, Driver: 'overlay', Attachable: true },
          doing: 'the test',
        },
        created,
      );
      const conflict = { code: 'CONFLICT', message: expect.stringContaining(name) };
      await expect(engine.ensureNetwork({ name, subnet: '10.210.4.0/24', labels: {} })).rejects.toMatchObject(
        conflict,
      );
      await expect(engine.removeNetwork(name)).rejects.toMatchObject(conflict);
      await expect(engine.connectNetwork('any', name)).rejects.toMatchObject(conflict);
      await api.send({ method: 'GET', path: `/networks/${id}`, doing: 'the test' });
      await api.send({ method: 'DELETE', path: `/networks/${id}`, doing: 'the test' });
    });

    test('has the largest packet that it is made with', async () => {
      const name = uniqueName('mtu');
      await engine.ensureNetwork({ name, subnet: '10.210.6.0/24', labels: {}, mtu: 1400 });
      const { Options: options } = await api.call(
        { method: 'GET', path: `/networks/${name}`, doing: 'the test' },
        z.looseObject({ Options: z.record(z.string(), z.string()) }),
      );
      expect(options).toMatchObject({ 'com.docker.network.driver.mtu': '1400' });
      await engine.removeNetwork(name);
    });

    test('in use is not removed', async () => {
      const spec = idleService(uniqueName('user'), { networks: [first] });
      await engine.applyService(spec);
      await untilRunning(engine, spec.name);
      expect((await engine.service(spec.name))?.networks).toEqual([first]);
      await expect(engine.removeNetwork(first)).rejects.toMatchObject({
        code: 'PRECONDITION_FAILED',
        message: expect.stringMatching(/in use/),
      });
      await engine.removeService(spec.name);
    }, 60_000);
  });

  describe('a running task', () => {
    const server = stepService(uniqueName('server'), answering, { networks: [second] });
    const asking: Step[] = [{ do: 'ask', host: `tasks.${server.name}`, port: 3000 }];
    const client = stepService(uniqueName('client'), asking, { networks: [first] });

    afterAll(() => Promise.all([server, client].map(({ name }) => engine.removeService(name))));

    async function lastLine(prefix: string): Promise<void> {
      await until(`the client says ${prefix}`, async () => {
        for await (const line of engine.serviceLogs(client.name, { tail: 1 }))
          if (line.text.startsWith(prefix)) return true;
        return undefined;
      });
    }

    async function containerId(): Promise<string> {
      return until(
        'a container',
        async () => (await engine.tasks(client.name)).find((task) => task.state === 'running')?.containerId,
      );
    }

    test('reaches another network only while it is attached to it', async () => {
      await Promise.all([engine.applyService(server), engine.applyService(client)]);
      await Promise.all([untilRunning(engine, server.name), untilRunning(engine, client.name)]);
      await lastLine('no ENOTFOUND');

      await engine.connectNetwork(await containerId(), second);
      await engine.connectNetwork(await containerId(), second);
      const [container] = await engine.containers(`com.docker.swarm.service.name=${client.name}`);
      expect(container?.networks).toEqual(expect.arrayContaining([first, second]));
      const service = await engine.service(client.name);
      expect(await engine.serviceContainers(service?.id ?? '')).toEqual([
        expect.objectContaining({
          id: await containerId(),
          state: 'running',
          networks: expect.arrayContaining([first, second]),
        }),
      ]);
      // Neither a name nor what nobody has is an id.
      for (const other of [client.name, 'nowhere']) expect(await engine.serviceContainers(other)).toEqual([]);
      await lastLine('got 1');

      await engine.disconnectNetwork(await containerId(), second);
      await engine.disconnectNetwork(await containerId(), second);
      await lastLine('no ');
    });

    test('cannot be attached to a network that is not there', async () => {
      await expect(engine.connectNetwork(await containerId(), 't-nowhere')).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
      await engine.disconnectNetwork(await containerId(), 't-nowhere');
    });
  });

  test('an attached container and the tasks have addresses of different halves of the network', async () => {
    const name = uniqueName('small');
    await engine.ensureNetwork({ name, subnet: '10.210.9.0/28', labels: {} });
    const guest = idleService(uniqueName('guest'), { networks: [first] });
    const tasks = idleService(uniqueName('tasks'), { networks: [name], replicas: 2 });
    await Promise.all([engine.applyService(guest), engine.applyService(tasks)]);
    // The engine attaches a service's container only to a network that is up on the node, which its first
    // task brings about.
    await Promise.all([untilRunning(engine, guest.name), untilRunning(engine, tasks.name, 2)]);
    const [task] = await engine.tasks(guest.name);
    await engine.connectNetwork(task?.containerId ?? '', name);
    const { Containers: members } = await api.call(
      { method: 'GET', path: `/networks/${name}`, doing: 'the test' },
      networkMembersAnswer,
    );
    const addresses = Object.values(members ?? {}).map((member) => member.IPv4Address);
    expect(addresses).toContain('10.210.9.14/28');
    expect(addresses.filter((address) => /^10\.210\.9\.[2-7]\/28$/.test(address)).length).toBe(
      addresses.length - 1,
    );
    await Promise.all([engine.removeService(guest.name), engine.removeService(tasks.name)]);
    await engine.removeNetwork(name);
  });

  test('a service on the network of the server is on no other, with the defaults of now', async () => {
    const spec = idleService(uniqueName('host'), { networks: ['host'], defaults: newestDefaults });
    await engine.applyService(spec);
    await untilRunning(engine, spec.name);
    const [container] = await engine.containers(`com.docker.swarm.service.name=${spec.name}`);
    expect(container?.networks).toEqual(['host']);
    expect(await engine.service(spec.name)).toMatchObject({ specDigest: engine.specDigest(spec) });
    await engine.removeService(spec.name);
  });

  describe('files and volumes', () => {
    test('a volume is made with the options of its driver', async () => {
      const volume = uniqueName('memory');
      const options = { type: 'tmpfs', device: 'tmpfs', o: 'size=1m' };
      const spec = idleService(uniqueName('options'), {
        mounts: [{ type: 'volume', source: volume, target: '/data', driverOptions: options }],
      });
      await engine.applyService(spec);
      await untilRunning(engine, spec.name);
      const shape = z.looseObject({ Options: z.record(z.string(), z.string()) });
      const made = await api.call({ method: 'GET', path: `/volumes/${volume}`, doing: 'the test' }, shape);
      expect(made.Options).toEqual(options);
      await engine.removeService(spec.name);
      await engine.removeVolume(volume);
    });

    const configs = z.array(
      z.looseObject({
        ID: z.string(),
        Spec: z.looseObject({ Name: z.string(), Labels: z.record(z.string(), z.string()) }),
      }),
    );
    const ours = async () =>
      (await api.call({ method: 'GET', path: '/configs', doing: 'the test' }, configs)).filter(
        (config) => config.Spec.Labels['berth.managed'] === 'true',
      );

    test('files of equal content are stored once, and change with their content', async () => {
      const content = `shared ${uniqueName('content')}`;
      const before = (await ours()).length;
      const specs = ['f1', 'f2'].map((what) =>
        idleService(uniqueName(what), {
          replicas: 0,
          files: [
            { path: '/etc/a', content },
            { path: '/etc/b', content },
          ],
        }),
      );
      await Promise.all(specs.map((spec) => engine.applyService(spec)));
      expect((await ours()).length).toBe(before + 1);
      const [spec] = specs;
      if (spec === undefined) throw new Error('no specification');
      await engine.applyService({ ...spec, files: [{ path: '/etc/a', content: `${content} changed` }] });
      expect((await ours()).length).toBe(before + 2);
      await Promise.all(specs.map(({ name }) => engine.removeService(name)));
    });

    test('a volume of another is not removed', async () => {
      const name = uniqueName('foreign');
      await api.send({ method: 'POST', path: '/volumes/create', body: { Name: name }, doing: 'the test' });
      await expect(engine.removeVolume(name)).rejects.toMatchObject({ code: 'CONFLICT' });
      await api.send({ method: 'DELETE', path: `/volumes/${name}`, doing: 'the test' });
      await engine.removeVolume(name);
    });

    test('what lies on the disk is told, and of it ended containers of ours are removed alone', async () => {
      const [own, foreign] = [uniqueName('own'), uniqueName('foreign')];
      for (const [Name, Labels] of [
        [own, overridingAll(own, { 'berth.managed': 'true' })],
        // What an image may say of its containers.
        [foreign, { 'berth.test': 'true' }],
      ] as const) {
        await api.send({
          method: 'POST',
          path: '/volumes/create',
          body: { Name, Labels },
          doing: 'the test',
        });
        const body = { Image: nodeImage, Cmd: ['true'], Labels };
        const request = { method: 'POST', path: '/containers/create', query: { name: Name }, body } as const;
        await api.call({ ...request, doing: 'the test' }, created);
      }
      // Several at once, of which an older engine answers one and refuses the others.
      const [usage] = await Promise.all([engine.diskUsage(), engine.diskUsage(), engine.diskUsage()]);
      const { images, containers, volumes } = usage;
      // Its own bytes alone are counted: none, where another image of this engine has all its layers.
      const image = images.find(({ tags }) => tags.includes(nodeImage));
      expect(image?.sizeBytes).toBeGreaterThanOrEqual(0);
      expect(image?.wholeBytes).toBeGreaterThan(0);
      const names = [own, foreign];
      expect(volumes.map(({ name }) => name).filter((name) => names.includes(name))).toEqual([own]);
      const ended = containers.filter(({ name }) => names.includes(name));
      expect(ended).toMatchObject([{ name: own, state: 'created' }]);
      await engine.removeEnded(ended[0]?.id ?? '');
      expect((await engine.diskUsage()).containers.map(({ name }) => name)).not.toContain(own);
      await expect(engine.removeEnded(foreign)).rejects.toMatchObject({ code: 'CONFLICT' });
      await api.send({ method: 'DELETE', path: `/containers/${foreign}`, doing: 'the test' });
      for (const name of names)
        await api.send({ method: 'DELETE', path: `/volumes/${name}`, doing: 'the test' });
    });

    test('a volume in use is not removed', async () => {
      const volume = uniqueName('vol');
      const spec = idleService(uniqueName('holder'), {
        mounts: [{ type: 'volume', source: volume, target: '/data' }],
      });
      await engine.applyService(spec);
      await untilRunning(engine, spec.name);
      await expect(engine.removeVolume(volume)).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('in use'),
      });
      await engine.removeService(spec.name);
      await engine.removeVolume(volume);
      expect(await engine.volumes('berth.managed')).not.toContain(volume);
    });
  });
}
