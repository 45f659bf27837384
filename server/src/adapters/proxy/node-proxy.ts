/**
 * The proxy on a node of another server's cluster: a container beside all services, so that neither a drained
 * node nor the loss of the managers ends it (decisions 13).
 */
import { proxyServiceName } from '../../domain/names/names.ts';
import { managedLabel, roleLabel } from '../../domain/names/labels.ts';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { FolderFiles } from '../../ports/host/folder-files.ts';
import type { NodeProxy, NodeProxyMade } from '../../ports/host/host.ts';
import type { Standing, StandingContainer } from '../../ports/engine/standing.ts';
import { proxyServiceSpec, type ProxyServiceOptions } from './proxy-service.ts';

export interface NodeProxyOptions {
  standing: Standing;
  /** The proxy's folder on the node, and how its files are written. */
  folder: string;
  disk: FolderFiles;
  httpPort: number;
  httpsPort: number;
}

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
  function made({ image, network, migratesRequests }: NodeProxyMade) {
    const spec = proxyServiceSpec({ ...usual, image, network, migratesRequests });
    const [initial] = spec.files;
    const content = initial?.content ?? '';
    // Named for what it says: the former proxy finds its own when it takes its place again.
    const name = `initial-${createHash('sha256').update(content).digest('hex').slice(0, 12)}.json`;
    const container: StandingContainer = {
      name: spec.name,
      image,
      labels: spec.labels,
      env: spec.env,
      command: ['caddy', 'run', '--config', `${spec.mounts[0]?.target ?? ''}/${name}`],
      network,
      mounts: spec.mounts,
      ports: spec.ports,
      sysctls: spec.sysctls,
      limits: spec.limits,
    };
    return { container, initial: { path: join(folder, name), content } };
  }
  return {
    async look(wanted) {
      const { container } = made(wanted);
      const state = await standing.look(container);
      // One that was made without limits runs on until something else renews it.
      const before = { ...container, limits: undefined };
      return state === 'renewing' && (await standing.look(before)) === 'running' ? 'running' : state;
    },
    async replace(wanted) {
      const { container, initial } = made(wanted);
      // No object of the swarm reaches a container, so the file stands in the folder that is mounted anyway.
      if ((await disk.read(initial.path)) !== initial.content)
        await disk.write(initial.path, initial.content, 0o600);
      return standing.replace(container);
    },
    settle: () => standing.settle(proxyServiceName),
    putBack: () => standing.putBack(proxyServiceName),
    attach: (networks) => standing.attach(proxyServiceName, networks),
    remove: () => standing.remove(proxyServiceName),
  };
}
