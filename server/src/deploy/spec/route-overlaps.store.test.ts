/** Networks on a machine whose routes have addresses of the pool. */
import { expect, it } from 'vitest';
import { createEngineInMemory } from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { composeWorlds } from '../../../../test/http/worlds/compose-world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { platformNetwork } from '../../domain/names/names.ts';
import type { Route } from '../../domain/network/routes.ts';
import { createComposes } from '../../modules/compose/compose.ts';
import { createEnvironments } from '../../modules/environment/environment.ts';
import { createServiceNames } from '../../modules/service-name/service-name.ts';
import { systemClock } from '../../ports/clock.ts';
import { createNetworks, environmentNetwork } from './networks.ts';

eachDatabase('networks and routes of the machine', (test) => {
  const { begin, create } = composeWorlds(test);

  async function networksWith(pool = '10.192.0.0/20') {
    const world = await begin();
    const stores = createStores(world.database);
    const { engine } = createEngineInMemory();
    const [routes, avoided]: [Route[], string[]] = [[], []];
    const composes = createComposes(
      stores.composes,
      { names: createServiceNames(stores.serviceNames), localRepositoryPaths: async () => [] },
      systemClock,
    );
    const networks = createNetworks({
      engine,
      environments: createEnvironments(stores.environments, systemClock),
      composes,
      proxyContainers: async () => [],
      pool: async () => pool,
      routes: async () => routes,
      serverName: 'the server frankfurt',
      onAvoided: (sentence) => void avoided.push(sentence),
    });
    const subnet = async (name: string): Promise<string | undefined> =>
      (await engine.networks()).find((one) => one.name === name)?.subnet;
    const none = { environments: new Set<string>(), composes: new Set<string>(), adopted: new Set<string>() };
    return { world, networks, routes, avoided, subnet, none };
  }

  it('get no addresses that a route has, and that is told', async () => {
    const { world, networks, routes, avoided, subnet } = await networksWith();
    routes.push(
      { subnet: '10.192.0.0/23', device: 'wg0' },
      { subnet: '10.192.3.7/32', device: 'eth1' },
      { subnet: '10.192.15.0/24', device: 'wg0' },
      { subnet: '10.0.0.0/8', device: 'tun0' },
      { subnet: 'fd00:7::/48', device: 'wg0' },
    );
    await networks.ensurePlatform();
    expect(await subnet(platformNetwork)).toBe('10.192.14.0/24');
    const name = await networks.ensureEnvironment(world.place.environmentId);
    expect(await subnet(name)).toBe('10.192.2.0/24');
    expect(await subnet(await networks.ensureCompose(await create(world)))).toBe('10.192.4.0/24');
    expect(await subnet(await networks.ensureInternal('one'))).toBe('10.192.13.0/24');
    expect(avoided).toHaveLength(4);
    expect(avoided[1]).toBe(
      `The network ${name} gets the addresses 10.192.2.0/24 and not 10.192.1.0/24, since the route to ` +
        '10.192.0.0/23 by wg0 on the server frankfurt has those.',
    );
  });

  it('that were made before the route stay as they are, and are found', async () => {
    const { world, networks, routes, avoided, subnet, none } = await networksWith();
    const { environmentId } = world.place;
    const name = await networks.ensureEnvironment(environmentId);
    expect(await subnet(name)).toBe('10.192.1.0/24');
    routes.push({ subnet: '10.192.1.128/25', device: 'eth1' });
    await networks.ensureEnvironment(environmentId);
    const known = { ...none, environments: new Set([environmentId]) };
    await networks.removeOrphans(known);
    expect(await subnet(name)).toBe('10.192.1.0/24');
    expect(avoided).toEqual([]);
    expect(networks.shadowing()).toEqual([
      { name: environmentNetwork(environmentId), subnet: '10.192.1.0/24', route: routes[0] },
    ]);
    routes.pop();
    await networks.removeOrphans(known);
    expect(networks.shadowing()).toEqual([]);
  });

  it('are made all the same where routes have every address of the pool', async () => {
    const { world, networks, routes, subnet } = await networksWith('10.192.0.0/22');
    routes.push({ subnet: '10.192.0.0/23', device: 'wg0' }, { subnet: '10.192.2.0/23', device: 'wg1' });
    expect(await subnet(await networks.ensureEnvironment(world.place.environmentId))).toBe('10.192.1.0/24');
  });
});
