/** Engine, networks, proxy and routes as the reconciler keeps them. */
import { existsSync } from 'node:fs';
import { release } from 'node:os';
import { proxyServiceSpec } from '../adapters/proxy/proxy-service.ts';
import type { Config } from '../config.ts';
import { listenerCheck } from '../deploy/health-check.ts';
import {
  composeNetwork,
  createNetworks,
  platformNetwork,
  proxyServiceName,
  type Networks,
} from '../deploy/networks.ts';
import type { Composes } from '../modules/compose/compose.ts';
import type { Environments } from '../modules/environment/environment.ts';
import { ownerOfLabels, type DeployedKind } from '../domain/service-ref.ts';
import { managedLabel } from '../ports/engine.ts';
import type { Adapters } from './adapters.ts';

export interface Platform {
  networks: Networks;
  /** Network and proxy service as they should be; gives what it had to do. */
  ensure(): Promise<string[]>;
  attachProxy(): Promise<string[]>;
  meshWorks(): Promise<boolean>;
}

export interface PlatformParts {
  config: Config;
  adapters: Adapters;
  environments: Environments;
  composes: Composes;
  networkPool(): Promise<string>;
}

const settleLimitMs = 60_000;
/** Kinds of services that domains lead to. */
const routedKinds: ReadonlySet<DeployedKind | undefined> = new Set<DeployedKind>([
  'application',
  'compose',
  'previewDeployment',
]);

export function createPlatform({
  config,
  adapters,
  environments,
  composes,
  networkPool,
}: PlatformParts): Platform {
  const { engine, proxy, folders } = adapters;
  const networks = createNetworks({ engine, environments, composes, pool: networkPool });

  return {
    networks,
    async ensure() {
      const { nodeId } = await engine.info();
      await networks.ensurePlatform();
      const spec = proxyServiceSpec({
        image: config.proxyImage,
        nodeId,
        network: platformNetwork,
        adminFolder: folders.proxy,
        httpPort: config.httpPort,
        httpsPort: config.httpsPort,
        labels: { [managedLabel]: 'true', 'berth.role': 'proxy' },
        probe: existsSync(config.probePath)
          ? { busybox: config.probePath, healthCheck: listenerCheck([80]) }
          : undefined,
        migratesRequests: kernelMigratesRequests(release()),
      });
      const present = await engine.service(proxyServiceName);
      if (present?.specDigest === engine.specDigest(spec) && present.replicas === 1)
        return awaitProxy(proxy, present.running === 1 ? 5000 : settleLimitMs);
      await engine.applyService(spec);
      await awaitProxy(proxy, settleLimitMs);
      return [`${proxyServiceName}: ${present ? 'differed; put it right' : 'was absent; made it'}`];
    },
    async attachProxy() {
      const removed = await networks.removeOrphans({
        environments: new Set(await environments.ids()),
        composes: new Set((await composes.all()).map(({ composeId }) => composeId)),
      });
      // What the services are on counts, not where their records stand: a moved one stays on its former network until it is deployed.
      const routed = (await engine.services()).filter(({ labels }) =>
        routedKinds.has(ownerOfLabels(labels)?.kind),
      );
      // A network of a compose's own is nobody else's.
      const used = new Set(
        routed.flatMap(({ networks: names, labels }) =>
          names.filter((name) => name !== composeNetwork(labels['berth.compose'] ?? '')),
        ),
      );
      const attached = await networks.attachProxy([...used]);
      return [
        ...removed.map((name) => `${name}: its owner no longer exists; removed the network`),
        ...(attached > 0
          ? [
              `${proxyServiceName}: attached it to ${attached} network${attached === 1 ? '' : 's'} of environments`,
            ]
          : []),
      ];
    },
    // The engine loads the kernel's IP_VS for its first ingress network; without it neither virtual addresses nor ingress ports answer (measured).
    meshWorks: async () => existsSync('/proc/net/ip_vs'),
  };
}

/** Waits until the proxy answers on its admin socket; one that does not is reported by the routes step. */
async function awaitProxy(proxy: Adapters['proxy'], limitMs: number): Promise<string[]> {
  const end = Date.now() + limitMs;
  while ((await proxy.current()) === undefined && Date.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 100));
  return [];
}

/** net.ipv4.tcp_migrate_req came with Linux 5.14. */
function kernelMigratesRequests(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}
