/** Set-up and inspection of servers joined with their connections. */
import { platformNetwork } from '../../domain/names/names.ts';
import { builderImage } from '../../domain/names/platform-images.ts';
import {
  inspectInstallation,
  inspectSecurity,
  type ServerInspection,
} from '../../modules/server/setup/inspection.ts';
import { createReleaseSource } from '../../modules/server/setup/release-source.ts';
import { createServerSetup, type ServerSetup } from '../../modules/server/setup/setup.ts';
import type { Host } from '../../ports/host/host.ts';
import type { ServerShell } from '../../ports/host/server-shell.ts';
import type { Reconciler } from '../../reconcile/reconciler.ts';
import type { Ground } from '../ground.ts';
import type { Machines } from './machines.ts';
import type { Product } from '../product.ts';

export interface SettingUp {
  serverSetup: ServerSetup;
  serverInspection: ServerInspection;
}

export function createSettingUp(
  {
    stores,
    adapters,
    config,
    log,
    claims,
  }: Pick<Ground, 'stores' | 'adapters' | 'config' | 'log' | 'claims'>,
  { queue, settings, accounts }: Pick<Product, 'queue' | 'settings' | 'accounts'>,
  { hosts, servers }: Pick<Machines, 'hosts' | 'servers'>,
  { run }: Pick<Reconciler, 'run'>,
): SettingUp {
  async function connected(serverId: string): Promise<{ host: Host; shell: ServerShell }> {
    const host = await hosts.of(serverId);
    return { host, shell: await servers.shell(serverId) };
  }
  // The setting is the installation's, and so is the way to what it names.
  const releases = {
    ...createReleaseSource(adapters.outgoing, async () => ({
      organizationId: (await accounts.organizations.first()) ?? '',
    })),
    addresses: async () => (await settings.get()).builderReleases,
  };
  return {
    serverSetup: createServerSetup({
      servers: stores.servers,
      queue,
      logs: adapters.logs,
      onFault: (error, serverId) => log.fault(error, `set-up of the server ${serverId}`),
      contextOf: async ({ serverId, serverType, clusterServerId }, more) => ({
        ...(await connected(serverId)),
        ...more,
        serverType,
        isNode: clusterServerId !== null,
        settle: () => run(serverId),
        claim: async () => claims.require(await hosts.of(serverId)),
        images: { proxy: config.proxyImage, builder: builderImage },
        releases,
      }),
    }),
    serverInspection: {
      async installation({ serverId }) {
        const { host, shell } = await connected(serverId);
        return inspectInstallation(shell, host.folders, async () =>
          (await host.engine.networks()).some(({ name }) => name === platformNetwork),
        );
      },
      async security({ serverId }) {
        return inspectSecurity((await connected(serverId)).shell);
      },
    },
  };
}
