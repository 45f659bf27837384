/**
 * A server whose routes have addresses of the pool: its next network gets others, and an old one is
 * found.
 */
import { readFile } from 'node:fs/promises';
import { expect, inject, test } from 'vitest';
import { createRemoteCommands } from '../../../server/src/adapters/host/ssh/remote-commands.ts';
import { connectSsh } from '../../../server/src/adapters/host/ssh/ssh-client.ts';
import { createNetworks, environmentNetwork } from '../../../server/src/deploy/spec/networks.ts';
import { routesCommand, routesIn, type Route } from '../../../server/src/domain/network/routes.ts';
import { Secret } from '../../../server/src/domain/secrets/secret.ts';
import { uniqueName } from '../../engine-suite/fixture.ts';
import { bedEngine } from './engine-fixture.ts';

test('a network takes no addresses of a route of its server, and stays when one comes later', async () => {
  const { engine, ip } = bedEngine();
  const { sshKeyPath } = inject('servers');
  const ssh = await connectSsh({
    serverName: 'm1',
    address: ip,
    ipAddress: ip,
    port: 22,
    username: 'root',
    hostKey: null,
    privateKey: new Secret(await readFile(sshKeyPath, 'utf8')),
  });
  const run = createRemoteCommands();
  const done = async (...argv: [string, ...string[]]): Promise<void> =>
    expect(await run(ssh, argv)).toMatchObject({ code: 0 });
  const routes = async (): Promise<Route[]> => routesIn((await run(ssh, routesCommand)).stdout);
  const avoided: string[] = [];
  const index = { networkIndex: async (): Promise<number> => 1 };
  const networks = createNetworks({
    engine,
    environments: {
      networkIndex: async (_id, { taken, room }) =>
        Array.from({ length: room }, (_, at) => at).find((at) => at > 0 && taken?.has(at) !== true) ?? 0,
    },
    composes: index,
    proxyContainers: async () => [],
    pool: async () => '10.215.0.0/20',
    routes,
    serverName: 'm1',
    onAvoided: (sentence) => void avoided.push(sentence),
  });
  const subnetOf = async (name: string): Promise<string | undefined> =>
    (await engine.networks()).find((one) => one.name === name)?.subnet;
  const [first, second] = [uniqueName('first'), uniqueName('second')];
  await done('ip', 'link', 'add', 'vpn0', 'type', 'veth', 'peer', 'name', 'vpn1');
  try {
    await done('ip', 'address', 'add', '10.215.1.9/24', 'dev', 'vpn0');
    for (const end of ['vpn0', 'vpn1']) await done('ip', 'link', 'set', end, 'up');
    await done('ip', 'route', 'add', '10.215.2.0/23', 'dev', 'vpn0', 'table', '52');
    const { stdout } = await run(ssh, ['cat', '/proc/net/route', '/proc/net/ipv6_route']);
    expect(routesIn(stdout)).toContainEqual({ subnet: '10.215.1.0/24', device: 'vpn0' });
    expect(await subnetOf(await networks.ensureEnvironment(first))).toBe('10.215.4.0/24');
    expect(avoided).toEqual([
      expect.stringMatching(/gets the addresses 10\.215\.4\.0\/24 and not 10\.215\.1\.0\/24, .* vpn0 on m1/),
    ]);
    await done('ip', 'route', 'add', '10.215.4.64/26', 'dev', 'vpn0');
    const known = { environments: new Set([first]), composes: new Set<string>(), adopted: new Set<string>() };
    await networks.removeOrphans(known);
    expect(networks.shadowing()).toEqual([
      {
        name: environmentNetwork(first),
        subnet: '10.215.4.0/24',
        route: { subnet: '10.215.4.64/26', device: 'vpn0' },
      },
    ]);
    expect(await subnetOf(await networks.ensureEnvironment(second))).toBe('10.215.5.0/24');
  } finally {
    await done('ip', 'link', 'delete', 'vpn0');
    for (const name of [first, second])
      await engine.removeNetwork(environmentNetwork(name)).catch(() => undefined);
    ssh.end();
  }
}, 120_000);
