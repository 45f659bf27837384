/**
 * The proxy on a node of another server's cluster: a container beside all services, so that neither a drained
 * node nor the loss of the managers ends it (decisions 13).
 */
import { proxyServiceName } from '../../domain/names/names.ts';
import { managedLabel, roleLabel } from '../../domain/names/labels.ts';
import { join } from 'node:path';
import type { FolderFiles } from '../../ports/host/folder-files.ts';
import type { NodeProxy } from '../../ports/host/host.ts';
import type { Standing } from '../../ports/engine/standing.ts';
import { proxyServiceSpec, type ProxyServiceOptions } from './proxy-service.ts';

export interface NodeProxyOptions {
  standing: Standing;
  /** The proxy's folder on the node, and how its files are written. */
  folder: string;
  disk: FolderFiles;
  httpPort: number;
  httpsPort: number;
}

const initialName = 'initial.json';

export function createNodeProxy({
  standing,
  folder,
  disk,
  httpPort,
  httpsPort,
}: NodeProxyOptions): NodeProxy {
  const usual: Omit<ProxyServiceOptions, 'image' | 'network' | 'migratesRequests'> = {
    nodeId: '',
    adminFolder: folder,
    httpPort,
    httpsPort,
    labels: { [managedLabel]: 'true', [roleLabel]: 'proxy' },
  };
  return {
    async ensure({ image, network, migratesRequests }) {
      const spec = proxyServiceSpec({ ...usual, image, network, migratesRequests });
      // No object of the swarm reaches a container, so the file stands in the folder that is mounted anyway.
      const [initial] = spec.files;
      if (initial && (await disk.read(join(folder, initialName))) !== initial.content)
        await disk.write(join(folder, initialName), initial.content, 0o600);
      return standing.ensure({
        name: spec.name,
        image,
        labels: spec.labels,
        env: spec.env,
        command: ['caddy', 'run', '--config', `${spec.mounts[0]?.target ?? ''}/${initialName}`],
        network,
        mounts: spec.mounts,
        ports: spec.ports,
        sysctls: spec.sysctls,
      });
    },
    attach: (networks) => standing.attach(proxyServiceName, networks),
    remove: () => standing.remove(proxyServiceName),
  };
}
