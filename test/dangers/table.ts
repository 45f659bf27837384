/** What may come of a danger by each way of deploying, for each who brought it in. Data. */
import type { DangerKind } from '../../server/src/domain/access/danger.ts';

/** Who brings the danger in; each but the last by the interface. */
export const authors = [
  "the installation's Admin",
  "the installation's Member",
  "a tenant's Owner",
  "a tenant's Member",
  'a stranger who pushes',
] as const;
export type Author = (typeof authors)[number];

export const deployables = ['compose', 'application', 'database'] as const;
export type Deployable = (typeof deployables)[number];

/**
 * `reconcile, saved`, and `start`, after a stop: brought in, and not deployed. `reconcile, ran`: released
 * with leave that was withdrawn since, and gone from the engine. `redeploy`: the same version once more, of
 * a database its rebuilding, the leave withdrawn but for the Admin.
 */
export const paths = {
  manual: deployables,
  redeploy: deployables,
  webhook: ['compose', 'application'],
  preview: ['application'],
  rollback: ['compose', 'application'],
  restore: ['database'],
  upgrade: ['database'],
  start: deployables,
  'reconcile, saved': deployables,
  'reconcile, ran': deployables,
} as const satisfies Record<string, readonly Deployable[]>;
export type Path = keyof typeof paths;

/** Of a compose file: what is added to a service, and below it; what the engine would be asked for then. */
export interface DangerRow {
  what: DangerKind;
  service: string;
  rest?: string;
  /** Stands in the engine's own words for it. */
  marker: string;
}

export const hostFolder = '/srv/of-the-machine';

/** Stands on the machine already. */
export const volumeOfOthers = 'volume-of-others';

export const composeDangers: readonly DangerRow[] = [
  { what: 'bind', service: `volumes: ["${hostFolder}:/host"]`, marker: hostFolder },
  {
    what: 'volume',
    service: 'volumes: ["theirs:/data"]',
    rest: `volumes: { theirs: { external: true, name: ${volumeOfOthers} } }`,
    marker: `"${volumeOfOthers}"`,
  },
  { what: 'capability', service: 'cap_add: [SYS_ADMIN]', marker: 'SYS_ADMIN' },
  { what: 'sysctl', service: 'sysctls: { net.core.somaxconn: "4096" }', marker: 'net.core.somaxconn' },
  { what: 'port', service: 'ports: ["53:53/udp"]', marker: '"PublishedPort":53' },
  {
    what: 'logging',
    service: 'logging: { driver: syslog, options: { syslog-address: "udp://192.0.2.1:514" } }',
    marker: 'syslog',
  },
  { what: 'ulimit', service: 'ulimits: { rtprio: 99 }', marker: 'rtprio' },
  {
    what: 'memory',
    service: 'volumes: [{ type: tmpfs, target: /fast, tmpfs: { size: 4294967296 } }]',
    marker: '4294967296',
  },
  { what: 'network', service: 'network_mode: host', marker: '"Target":"host"' },
  { what: 'security', service: 'security_opt: ["seccomp=unconfined"]', marker: '"Mode":"unconfined"' },
  {
    what: 'driver',
    service: 'volumes: ["share:/data"]',
    rest: 'volumes: { share: { driver_opts: { type: nfs, o: "addr=192.0.2.1,rw", device: ":/share" } } }',
    marker: 'addr=192.0.2.1,rw',
  },
];

/** What a mount of a record can be. */
export const mountDanger: DangerRow = { what: 'bind', service: '', marker: hostFolder };

/** Whether the engine is ever asked for the danger. */
export type Outcome = 'reaches the machine' | 'held';

export function expected(path: Path, author: Author): Outcome {
  switch (path) {
    // Nobody deployed it.
    case 'reconcile, saved':
    case 'start':
    // A preview has no folder of the server, whoever gave one to its application.
    case 'preview':
      return 'held';
    // It was approved when it was released, and keeps running as it is (decisions 8).
    case 'reconcile, ran':
      return 'reaches the machine';
    case 'manual':
    case 'redeploy':
    case 'webhook':
    case 'rollback':
    case 'restore':
    case 'upgrade':
      return author === "the installation's Admin" ? 'reaches the machine' : 'held';
  }
}
