/** A new version of Berth brings a new proxy: machine after machine, and the former one where it fails. */
import { expect, test } from 'vitest';
import { proxyServiceName } from '../../../server/src/domain/names/names.ts';
import { createRenewals } from '../../../server/src/modules/platform-service/platform-service.ts';
import { systemClock } from '../../../server/src/ports/clock.ts';
import type { ServiceSpec } from '../../../server/src/ports/engine/engine.ts';
import type { Host } from '../../../server/src/ports/host/host.ts';
import { createPlatform, type Platform } from '../../../server/src/reconcile/platform.ts';
import { webImage } from '../images.ts';
import { productInMemory } from '../product.ts';

const product = productInMemory();

const spec = (command: string): ServiceSpec => ({
  name: proxyServiceName,
  image: webImage,
  labels: {},
  env: [],
  command: command.split(' '),
  networks: [],
  replicas: 1,
  limits: {},
  reservations: {},
  mounts: [],
  files: [],
  ports: [],
  updateOrder: 'stop-first',
  monitorMs: 5000,
  stopGracePeriodMs: 1000,
  constraints: [],
});

interface Kept {
  platforms: Platform[];
  /** The key of the first host whose turn has come. */
  turn: Promise<string>;
}

/** As a Berth keeps them whose proxies run this command. */
async function berthOf(hosts: readonly Host[], command: string): Promise<Kept> {
  const turn = Promise.withResolvers<string>();
  const renewals = createRenewals(systemClock);
  const platforms = await product().run(async ({ environments, composes, stores }) =>
    hosts.map((host) =>
      createPlatform(host, {
        proxyImage: webImage,
        proxySpec: async () => spec(command),
        environments,
        composes,
        platformServices: stores.platformServices,
        knownThings: stores.knownThings,
        clock: systemClock,
        renewals,
        lookAgain: () => turn.resolve(host.key),
      }),
    ),
  );
  return { platforms, turn: turn.promise };
}

const ensured = ({ platforms }: Kept): Promise<string[]> =>
  product().run(async () => (await Promise.all(platforms.map((each) => each.ensure()))).flat());

test('a proxy that does not work is put back, other machines keep theirs, and it is said once', async () => {
  const servers = [await product().addServer(), await product().addServer()];
  const hosts = await product().run(({ hosts }) =>
    Promise.all(servers.map(({ serverId }) => hosts.of(serverId))),
  );
  const commands = async (): Promise<unknown[]> =>
    Promise.all(hosts.map(async ({ engine }) => (await engine.service(proxyServiceName))?.specDigest));
  const digest = (command: string): string | undefined => hosts[0]?.engine.specDigest(spec(command));
  const former = await berthOf(hosts, 'serve');
  await ensured(former);
  expect(await commands()).toEqual([digest('serve'), digest('serve')]);
  const broken = await berthOf(hosts, 'serve-not');
  // One after another; the second has its turn when the first has come out.
  expect(await ensured(broken)).toEqual(['berth-proxy: differed; corrected']);
  expect(await product().run(() => broken.turn)).toBe(hosts[1]?.key);
  expect(await commands()).toEqual([digest('serve'), digest('serve')]);
  const [first, second] = await ensured(broken);
  expect(first).toMatch(/left as it is\. The proxy of this version of Berth did not work on the server/);
  expect(second).toBe(first);
  expect(await ensured(broken)).toEqual([]);
  const mended = await berthOf(hosts, 'serve again');
  expect(await ensured(mended)).toEqual(['berth-proxy: differed; corrected']);
  await product().run(() => mended.turn);
  expect(await ensured(mended)).toEqual(['berth-proxy: differed; corrected']);
  expect(await commands()).toEqual([digest('serve again'), digest('serve again')]);
});
