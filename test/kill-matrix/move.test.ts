/** Applications that go to another server, and those that may not. */
import { expect, test } from 'vitest';
import type { DeploymentRecord } from '../../server/src/db/tables.ts';
import type { ServiceRef } from '../../server/src/domain/names/service-ref.ts';
import type { Machine } from './neighbours.ts';
import { webImage } from './images.ts';
import { productInMemory } from './product.ts';

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
});
