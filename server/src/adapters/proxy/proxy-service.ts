import { proxyServiceName } from '../../domain/names/names.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import type { HealthCheck } from '../../ports/engine/health-check.ts';
import { initialDocument } from './config/caddy-config.ts';

/** File name of the admin socket in the bound folder. */
export const adminSocketName = 'admin.sock';

const adminFolderInContainer = '/run/berth-proxy';

/** The admin socket as the proxy's own configuration names it. */
export const adminSocketInContainer = `${adminFolderInContainer}/${adminSocketName}`;

const configPath = '/etc/berth-proxy/initial.json';

/**
 * Ten times what it takes with 5,000 routes: whatever somebody sends it, the machine goes on. Its threads are
 * those of Go, one for each processor and blocked call.
 */
export const proxyLimits = { memoryBytes: 1024 ** 3, pids: 1024 };

export interface ProxyServiceOptions {
  image: string;
  /** The node that has the ports and the admin folder; the proxy never moves. */
  nodeId: string;
  /**
   * The platform's own network. Networks of environments are attached to the running container, since a
   * change here would restart the proxy.
   */
  network: string;
  /** Folder of the node's file system, only root's, in which the admin socket appears. */
  adminFolder: string;
  httpPort: number;
  httpsPort: number;
  labels: Record<string, string>;
  /**
   * How its health is looked at, with the static busybox on the node that looks; without it the engine counts
   * a proxy that runs as healthy.
   */
  probe?: { busybox: string; healthCheck: HealthCheck } | undefined;
  /**
   * False on a kernel before 5.14, which lacks `net.ipv4.tcp_migrate_req`: changing routes may then reset
   * connections that are just being made.
   */
  migratesRequests: boolean;
}

/**
 * The platform's proxy as a service. A new container knows no routes (it answers 503 on port 80 until it is
 * given some), so the reconciler attaches its networks and applies the routes after every start. Its
 * certificates are in the admin folder.
 */
export function proxyServiceSpec(options: ProxyServiceOptions): ServiceSpec {
  const { probe } = options;
  return {
    name: proxyServiceName,
    image: options.image,
    labels: options.labels,
    env: ['XDG_DATA_HOME=/tmp', 'XDG_CONFIG_HOME=/tmp'],
    command: ['caddy', 'run', '--config', configPath],
    networks: [options.network],
    replicas: 1,
    limits: proxyLimits,
    reservations: {},
    mounts: [
      { type: 'bind', source: options.adminFolder, target: adminFolderInContainer },
      ...(probe === undefined
        ? []
        : [{ type: 'bind', source: probe.busybox, target: '/.berth/busybox', readOnly: true } as const]),
    ],
    files: [
      { path: configPath, content: JSON.stringify(initialDocument({ adminSocket: adminSocketInContainer })) },
    ],
    ports: [
      { published: options.httpPort, target: 80, protocol: 'tcp', mode: 'host' },
      { published: options.httpsPort, target: 443, protocol: 'tcp', mode: 'host' },
      { published: options.httpsPort, target: 443, protocol: 'udp', mode: 'host' },
    ],
    ...(probe === undefined ? {} : { healthCheck: probe.healthCheck }),
    // A host port can have one holder only.
    updateOrder: 'stop-first',
    monitorMs: 5_000,
    stopGracePeriodMs: 10_000,
    constraints: [`node.id==${options.nodeId}`],
    ...(options.migratesRequests ? { sysctls: { 'net.ipv4.tcp_migrate_req': '1' } } : {}),
  };
}
