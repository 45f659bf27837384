/** Services that go to another server, those that may not, and servers with faults of their own. */
import { expect, test, vi } from 'vitest';
import type { DatabaseRecord, DeploymentRecord } from '../../../server/src/db/tables.ts';
import { AppError } from '../../../server/src/domain/errors.ts';
import { subjectOfCompose } from '../../../server/src/modules/host-reach/subject.ts';
import { composeRef, type ServiceRef } from '../../../server/src/domain/names/service-ref.ts';
import type { Machine } from '../neighbours.ts';
import { oldRedis, webImage } from '../images.ts';
import { productInMemory } from '../product.ts';

const product = productInMemory();

const fromGit = {
  sourceType: 'git',
  customGitUrl: 'https://git.test/shop.git',
  customGitBranch: 'main',
  buildType: 'dockerfile',
} as const;

const servicesOn = ({ memory }: Machine): string[] =>
  [...memory.state.services.values()].map(({ spec }) => spec.Name).filter((name) => name !== 'berth-proxy');

const imagesOn = ({ memory }: Machine): string[] =>
  [...memory.state.images.values()].flatMap(({ tags }) => [...tags]);

const moved = (service: ServiceRef, from: string, to: string): Promise<DeploymentRecord> =>
  product().deploy(service, { kind: 'move', title: 'Move', move: { from, to } });

const placeOf = async ({ serviceId }: ServiceRef): Promise<string | null | undefined> =>
  (await product().run(({ applications }) => applications.find(serviceId)))?.serverId;

test('what was built travels, runs there, and is gone here', async () => {
  const here = await product().addServer({ name: 'here' });
  const there = await product().addServer({ name: 'there' });
  const { environmentId } = product();
  const service = await product().addApplication('built', fromGit, {
    environmentId,
    serverId: here.serverId,
  });
  const built = await product().deploy(service);
  const done = await moved(service, here.serverId, there.serverId);
  expect(product().logOf(done).join('\n')).toContain(`Removed built from the server ${here.serverId}.`);
  expect(done).toMatchObject({ status: 'done', errorMessage: null, image: built.image, kind: 'move' });
  expect(await placeOf(service)).toBe(there.serverId);
  expect(servicesOn(there.machine)).toEqual(['built']);
  expect(servicesOn(here.machine)).toEqual([]);
  expect(imagesOn(there.machine)).toContain(built.image);
  expect(imagesOn(here.machine)).not.toContain(built.image);
  // And back, to where its image is no more.
  expect(await moved(service, there.serverId, here.serverId)).toMatchObject({ status: 'done' });
  expect(servicesOn(here.machine)).toEqual(['built']);
  expect(await product().deploy(service)).toMatchObject({ status: 'done' });
});

test('its domains go with it, unless somebody has the host there', async () => {
  const there = await product().addServer();
  const { organizationId } = product();
  const service = await product().addApplication('routed', fromGit);
  const { serviceId: applicationId } = service;
  await product().run(({ domains }) =>
    domains.create(organizationId, { applicationId }, { host: 'routed.test', port: 3000 }),
  );
  await product().deploy(service);
  expect(await moved(service, 'local', there.serverId)).toMatchObject({ status: 'done' });
  const placed = (): Promise<string | undefined> =>
    product().run(async ({ stores }) => (await stores.domains.find({ applicationId }))?.serverKey);
  expect(await placed()).toBe(there.serverId);
  // Somebody else takes the host where it was.
  await product().run(async ({ stores }) => {
    const present = await stores.domains.find({ applicationId });
    if (!present) throw new Error('It has no domain.');
    const theirs = { organizationId: 'others', applicationId: null, serverKey: 'local', uniqueConfigKey: 9 };
    await stores.domains.insert({ ...present, ...theirs, domainId: 'theirs', path: '/shop' });
  });
  const refused = await moved(service, there.serverId, 'local');
  expect(refused).toMatchObject({ status: 'error' });
  expect(refused.errorMessage).toContain('is a host of another organization on this server');
  expect(await placed()).toBe(there.serverId);
  expect(servicesOn(there.machine)).toEqual(['routed']);
  await product().run(({ stores }) => stores.domains.remove({ domainId: 'theirs' }));
});

test('an image of a registry is pulled there', async () => {
  const there = await product().addServer();
  // Another engine asks the same registry.
  const pulled = await product().addApplication('pulled', { containerImage: webImage });
  await product().deploy(pulled);
  expect(await moved(pulled, 'local', there.serverId)).toMatchObject({ status: 'done' });
  expect(servicesOn(there.machine)).toEqual(['pulled']);
});

test('what does not become healthy there stays where it was', async () => {
  const there = await product().addServer();
  const service = await product().addApplication('sick', fromGit);
  await product().deploy(service);
  await product().run(({ applications }) =>
    applications.update(service.serviceId, product().organizationId, { command: 'serve-not' }),
  );
  const failed = await moved(service, 'local', there.serverId);
  expect(failed).toMatchObject({ status: 'error' });
  expect(product().logOf(failed).join('\n')).toContain(
    `Removed what was started on the server ${there.serverId}; the application stays where it was.`,
  );
  expect(await placeOf(service)).toBeNull();
  expect(servicesOn(there.machine)).toEqual([]);
});

test('a server that goes silent once all runs elsewhere does not make the move fail', async () => {
  const here = await product().addServer();
  const there = await product().addServer();
  const { environmentId } = product();
  const service = await product().addApplication('left', fromGit, { environmentId, serverId: here.serverId });
  await product().deploy(service);
  let asked = 0;
  here.machine.reachable = async () => {
    asked += 1;
    // Once for the image, and then no more.
    if (asked > 1) throw new Error('it burns');
  };
  const done = await moved(service, here.serverId, there.serverId);
  expect(done).toMatchObject({ status: 'done' });
  expect(product().logOf(done).join('\n')).toContain(
    'it could not be removed completely from its former server',
  );
  expect(servicesOn(there.machine)).toEqual(['left']);
  // What could not be removed goes when the server answers again.
  expect(servicesOn(here.machine)).toEqual(['left']);
  delete here.machine.reachable;
  await product().run(({ reconciler }) => reconciler.run());
  expect(servicesOn(here.machine)).toEqual([]);
  expect(servicesOn(there.machine)).toEqual(['left']);
});

const volumesOn = ({ memory }: Machine): string[] => [...memory.state.volumes.keys()];
const databaseOf = ({ serviceId }: ServiceRef): Promise<DatabaseRecord | undefined> =>
  product().run(({ databases }) => databases.find(serviceId));

test('a database goes as a copy of its volume; the former one stays until it is removed', async () => {
  const here = await product().addServer({ name: 'here' });
  const there = await product().addServer({ name: 'there' });
  const service = await product().addDatabase('redis', 'kept', { serverId: here.serverId });
  await product().deploy(service);
  const before = await databaseOf(service);
  const done = await moved(service, here.serverId, there.serverId);
  expect(done).toMatchObject({ status: 'done', errorMessage: null, kind: 'move' });
  expect(product().logOf(done).join('\n')).toContain('the files of both have the SHA-256 d19e57');
  const after = await databaseOf(service);
  expect(after).toMatchObject({
    serverId: there.serverId,
    dataVersion: before?.dataVersion,
    formerVolumes: [{ volumeName: before?.dataVolume, serverId: here.serverId }],
  });
  expect([servicesOn(here.machine), servicesOn(there.machine)]).toEqual([[], ['kept']]);
  expect(volumesOn(here.machine)).toEqual([before?.dataVolume]);
  expect(volumesOn(there.machine)).toEqual([after?.dataVolume]);
  // And back, onto a volume of its own beside the former one.
  expect(await moved(service, there.serverId, here.serverId)).toMatchObject({ status: 'done' });
  const back = await databaseOf(service);
  expect(back?.formerVolumes.map(({ serverId }) => serverId)).toEqual([here.serverId, there.serverId]);
  expect(new Set(volumesOn(here.machine))).toEqual(new Set([before?.dataVolume, back?.dataVolume]));
  // It goes with all that it has anywhere.
  await product().run(async ({ running }) => {
    if (back) await running.runtime.remove(back);
  });
  expect([...volumesOn(here.machine), ...volumesOn(there.machine)]).toEqual([]);
});

const faultsThere: Record<string, [fault: (machine: Machine) => void, reason: string]> = {
  'the copy differs': [
    ({ memory: { state } }) => {
      const { '/.berth/busybox': usual = () => 0 } = state.mountedPrograms;
      state.mountedPrograms = {
        '/.berth/busybox': async (running) => {
          if (running.env['BERTH_END_MARK'] === undefined || running.argv.includes('tar'))
            return usual(running);
          await running.write('stdout', `0ther  -\n\n${running.env['BERTH_END_MARK']}`);
          return 0;
        },
      };
    },
    'The copy is not equal to the data',
  ],
  'its server does not come up there': [
    ({ memory }) => memory.addImage(oldRedis, { programs: { sh: () => 1 }, env: { REDIS_VERSION: '7.4.1' } }),
    '',
  ],
};

test.each(Object.entries(faultsThere))(
  'a database stays where it was when %s',
  async (_what, [fault, reason]) => {
    const there = await product().addServer();
    fault(there.machine);
    const service = await product().addDatabase('redis', `stays-${there.serverId.toLowerCase().slice(0, 8)}`);
    await product().deploy(service);
    const before = await databaseOf(service);
    const failed = await moved(service, 'local', there.serverId);
    expect(failed).toMatchObject({ status: 'error' });
    expect(failed.errorMessage).toContain(reason);
    expect(product().logOf(failed).join('\n')).toContain(
      `The database runs on where it was, on the volume ${before?.dataVolume}.`,
    );
    expect(await databaseOf(service)).toMatchObject({
      serverId: null,
      dataVolume: before?.dataVolume,
      formerVolumes: [],
    });
    expect([servicesOn(there.machine), volumesOn(there.machine)]).toEqual([[], []]);
    // It is reached again.
    expect(await product().deploy(service)).toMatchObject({ status: 'done' });
  },
);

test('a compose service goes with its domains; one that has a volume stays with it', async () => {
  const there = await product().addServer();
  const { organizationId, environmentId } = product();
  const make = (name: string, keys: string): Promise<ServiceRef> =>
    product().run(async ({ composes, domains }) => {
      const { composeId } = await composes.create(
        { organizationId },
        {
          environmentId,
          name,
          appName: name,
          composeType: 'compose',
          sourceType: 'raw',
          composeFile: `services:\n  web: { image: '${webImage}', command: [serve]${keys} }\n`,
        },
      );
      const domain = { host: `${name}.test`, port: 3000, domainType: 'compose', serviceName: 'web' } as const;
      await domains.create(organizationId, { composeId }, domain);
      return composeRef(composeId);
    });
  const goes = await make('goes', '');
  await product().deploy(goes);
  const done = await moved(goes, 'local', there.serverId);
  expect(done).toMatchObject({ status: 'done', errorMessage: null });
  expect(servicesOn(there.machine)).toEqual(['goes_web']);
  const placed = await product().run(async ({ stores }) => ({
    compose: (await stores.composes.find({ composeId: goes.serviceId }))?.serverId,
    domain: (await stores.domains.find({ composeId: goes.serviceId }))?.serverKey,
  }));
  expect(placed).toEqual({ compose: there.serverId, domain: there.serverId });
  expect(await product().deploy(goes)).toMatchObject({ status: 'done' });
  const holds = await make('holds', ', volumes: [./data:/data]');
  await product().deploy(holds);
  const refused = await moved(holds, 'local', there.serverId);
  expect(refused).toMatchObject({ status: 'error' });
  expect(refused.errorMessage).toContain('holds keeps data on its server (a volume of web)');
  expect(servicesOn(there.machine)).toEqual(['goes_web']);
  // What was approved for one machine is not approved for another, and nobody who moves it approves it.
  const reaches = await make('reaches', ', cap_add: [SYS_ADMIN]');
  expect(await product().deploy(reaches)).toMatchObject({ status: 'error' });
  await product().run(async ({ stores }) => {
    const found = await stores.composes.find({ composeId: reaches.serviceId });
    if (!found?.awaitsApproval) throw new Error('Nothing awaits an approval.');
    const { digest, dangers } = found.awaitsApproval;
    const by = { userId: 'admin', organizationId, at: new Date(0).toISOString() };
    const approval = { digest, dangers, subject: subjectOfCompose(found), ...by };
    await stores.composes.update({ composeId: reaches.serviceId }, { approval });
  });
  expect(await product().deploy(reaches)).toMatchObject({ status: 'done' });
  const kept = await moved(reaches, 'local', there.serverId);
  expect(kept).toMatchObject({ status: 'error' });
  expect(kept.errorMessage).toContain('reaches reaches its server itself (');
  expect(servicesOn(there.machine)).toEqual(['goes_web']);
  expect(await product().deploy(reaches)).toMatchObject({ status: 'done' });
  // As a record that was moved by hand: the approval was for the other machine.
  await product().run(({ stores }) =>
    stores.composes.update({ composeId: reaches.serviceId }, { serverId: there.serverId }),
  );
  expect(await product().deploy(reaches)).toMatchObject({ status: 'error' });
  expect(servicesOn(there.machine)).toEqual(['goes_web']);
});

test('a look that began before a move puts nothing back where the service was', async () => {
  const { organizationId, environmentId } = product();
  const here = await product().addServer();
  const there = await product().addServer();
  const place = { environmentId, serverId: here.serverId };
  const file = `services:\n  web: { image: '${webImage}', command: [serve] }\n`;
  const stack = { name: 'looked', appName: 'looked', composeType: 'compose', sourceType: 'raw' } as const;
  const { composeId } = await product().run(({ composes }) =>
    composes.create({ organizationId }, { ...place, ...stack, composeFile: file }),
  );
  const services = [composeRef(composeId), await product().addApplication('seen', fromGit, place)];
  for (const service of services) await product().deploy(service);
  // Between what the look reads of records and what it reads of the engine.
  const { engine } = await product().run(({ hosts }) => hosts.of(here.serverId));
  const list = engine.services;
  const movesLeft = [...services];
  const unfinished = await product().run(async ({ deployments }) => vi.spyOn(deployments, 'unfinished'));
  const looks = vi.spyOn(engine, 'services').mockImplementation(async (...asked) => {
    const toMove = unfinished.mock.calls.length > 0 ? movesLeft.splice(0) : [];
    for (const service of toMove)
      expect(await moved(service, here.serverId, there.serverId)).toMatchObject({ status: 'done' });
    return list(...asked);
  });
  await product().run(({ reconciler }) => reconciler.run());
  expect(movesLeft).toEqual([]);
  looks.mockRestore();
  unfinished.mockRestore();
  expect(servicesOn(here.machine)).toEqual([]);
  expect(servicesOn(there.machine).toSorted()).toEqual(['looked_web', 'seen']);
});

const hourMs = 3_600_000;

test.each([-hourMs, hourMs])(
  'a server whose clock is %d ms ahead is deployed on as any other',
  async (offMs) => {
    const { serverId, machine } = await product().addServer();
    machine.memory.state.clockOffMs = offMs;
    const place = { environmentId: product().environmentId, serverId };
    const name = `clock-${offMs < 0 ? 'late' : 'early'}`;
    const service = await product().addApplication(name, fromGit, place);
    const database = await product().addDatabase('redis', `${name}-store`, { serverId });
    for (const one of [service, database, service]) {
      const began = Date.now();
      const done = await product().deploy(one);
      expect(done).toMatchObject({ status: 'done', errorMessage: null });
      // Told by Berth's own clock, and no sooner or later than by a server whose clock is right.
      expect(Date.parse(done.healthyAt ?? '')).toBeGreaterThanOrEqual(began);
      expect(Date.now() - began).toBeLessThan(60_000);
    }
    await product().run(({ applications }) =>
      applications.update(service.serviceId, product().organizationId, { command: 'serve-not' }),
    );
    expect(await product().deploy(service)).toMatchObject({ status: 'error' });
    expect(servicesOn(machine).toSorted()).toEqual([name, `${name}-store`]);
    await product().run(async (world) => {
      world.drift.length = 0;
      await world.reconciler.run();
      // Of the services of this test: others share the installation.
      expect(world.drift.filter((line) => line.includes(name))).toEqual([]);
    });
  },
);

test('a server whose disk is full fails the deployment in its words, and what ran runs on', async () => {
  const { serverId, machine } = await product().addServer();
  const { memory } = machine;
  const service = await product().addApplication('full', fromGit, {
    environmentId: product().environmentId,
    serverId,
  });
  await product().deploy(service);
  const running = (): unknown[] =>
    [...memory.state.tasks.values()].flatMap(({ id, state }) => (state === 'running' ? [id] : []));
  const before = running();
  memory.disturbNext(
    ({ path }) => path.endsWith('/update'),
    new AppError('SERVICE_UNAVAILABLE', 'write /var/lib/docker: no space left on device'),
  );
  const failed = await product().deploy(service);
  expect(failed).toMatchObject({ status: 'error', stage: 'release' });
  expect(failed.errorMessage).toContain('no space left on device');
  expect(running()).toEqual(before);
  expect(await product().deploy(service)).toMatchObject({ status: 'done' });
});
