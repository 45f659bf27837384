/**
 * Root of a server gives its services labels of another organization's: nothing of Berth takes them for that.
 */
import { expect, test } from 'vitest';
import { stepService } from '../../engine-suite/fixture.ts';
import { webImage } from '../images.ts';
import { productInMemory } from '../product.ts';

const product = productInMemory();

test('a service of a server that says that it is another organization’s is not there', async () => {
  const { organizationId } = product();
  await product().run(({ stores }) =>
    stores.users.organizations.insert({
      organizationId: 'others',
      name: 'Others',
      trusted: false,
      parentOrganizationId: null,
      createdAt: '2026-01-01T00:00:00.000Z',
      requireTwoFactor: false,
    }),
  );
  const theirs = await product().addServer({ organizationId: 'others', name: 'theirs' });
  const ours = await product().addServer({ name: 'ours' });
  const { serviceId } = await product().addApplication('victim');
  for (const { machine } of [theirs, ours])
    for (const [name, applicationId] of [
      ['forged', serviceId],
      ['of-nobody', 'gone'],
    ])
      await product().run(() =>
        machine.memory.engine.applyService(
          stepService(name ?? '', [{ do: 'stay' }], {
            image: webImage,
            command: ['serve'],
            labels: {
              'berth.managed': 'true',
              'berth.organization': organizationId,
              'berth.application': applicationId ?? '',
            },
          }),
        ),
      );
  const seenOn = (serverId: string): Promise<unknown> =>
    product().run(async ({ hosts }) => {
      const { engine } = (await hosts.find(serverId)) ?? {};
      const names = (await engine?.services())?.map(({ name }) => name).toSorted();
      const withTasks = (await engine?.servicesWithTasks())?.map(({ service }) => service.name).toSorted();
      const one = await engine?.service('forged');
      const { service } = (await engine?.serviceWithTasks('forged')) ?? {};
      return [names, withTasks, one?.name, service?.name];
    });
  const both = ['forged', 'of-nobody'];
  expect(await seenOn(theirs.serverId)).toEqual([['of-nobody'], ['of-nobody'], undefined, undefined]);
  // Its engine has it all the same.
  const present = await theirs.machine.memory.engine.services();
  expect(present.map(({ name }) => name).toSorted()).toEqual(both);
  // On a server of its own organization a service has these labels by right.
  expect(await seenOn(ours.serverId)).toEqual([both, both, 'forged', 'forged']);
});
