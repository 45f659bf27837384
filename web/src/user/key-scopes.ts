/** What an API key may do, as people choose it: areas of the product, and ready-made choices. */
import actions from '../generated/key-actions.json';

type Router = keyof typeof actions;
export type Permissions = Record<string, string[]>;

const known: Readonly<Record<string, readonly string[]>> = actions;

export const levels = {
  read: { label: 'See', of: ['read'] },
  act: { label: 'Deploy and run', of: ['deploy', 'run', 'open', 'forward'] },
  write: { label: 'Change', of: ['write'] },
  secrets: { label: 'Read secrets and copies of data', of: ['readSecrets', 'branch'] },
  host: { label: 'Use low ports and folders of the server', of: ['hostReach'] },
} as const;
export type Level = keyof typeof levels;
export const levelNames: readonly Level[] = ['read', 'act', 'write', 'secrets', 'host'];

export interface Area {
  name: string;
  about: string;
  routers: readonly Router[];
}

export const areas: readonly Area[] = [
  {
    name: 'Projects and environments',
    about: 'and their shared variables',
    routers: ['project', 'environment', 'service'],
  },
  {
    name: 'Applications',
    about: 'with ports, mounts, redirects, previews and schedules',
    routers: [
      'application',
      'port',
      'mount',
      'redirect',
      'basicAuth',
      'previewDeployment',
      'schedule',
      'webhook',
    ],
  },
  { name: 'Compose services', about: 'and templates', routers: ['compose', 'template'] },
  {
    name: 'Databases',
    about: 'of every kind',
    routers: ['postgres', 'mysql', 'mariadb', 'mongo', 'redis', 'database'],
  },
  { name: 'Deployments', about: 'lists and logs', routers: ['deployment'] },
  {
    name: 'Domains and certificates',
    about: '',
    routers: ['domain', 'certificate', 'certificateOrder', 'certificateResolver', 'dnsProvider'],
  },
  {
    name: 'Backups',
    about: 'with restores and destinations',
    routers: ['backup', 'volumeBackup', 'destination', 'installationBackup'],
  },
  { name: 'Terminal and ports', about: 'of running containers', routers: ['terminal', 'container'] },
  { name: 'Servers', about: 'and clusters', routers: ['server', 'cluster', 'swarm'] },
  {
    name: 'Connections',
    about: 'git hosts, registries, SSH keys, catalogues of templates',
    routers: ['gitProvider', 'registry', 'sshKey', 'templateCatalogue'],
  },
  {
    name: 'Watching',
    about: 'alarms, notifications, log drains, metrics, events, audit',
    routers: ['alarm', 'notification', 'logDrain', 'metrics', 'event', 'audit'],
  },
  {
    name: 'Organization and installation',
    about: 'members, settings, clean-up',
    routers: ['organization', 'user', 'settings', 'cleanup'],
  },
];

/** Whether an area has something of this level. */
export const offers = ({ routers }: Area, level: Level): boolean =>
  routers.some((router) => levels[level].of.some((action) => known[router]?.includes(action)));

/** The permissions of the boxes that are ticked: `area:level`. */
export function permissionsOf(ticked: ReadonlySet<string>): Permissions {
  const found: Permissions = {};
  for (const area of areas)
    for (const level of levelNames)
      if (ticked.has(boxOf(area, level)))
        for (const router of area.routers) {
          const given = levels[level].of.filter((action) => known[router]?.includes(action));
          if (given.length > 0) found[router] = [...(found[router] ?? []), ...given];
        }
  return found;
}

export const boxOf = (area: Area, level: Level): string => `${area.name}:${level}`;

export interface Choice {
  value: string;
  label: string;
  about: string;
  /** Undefined: not narrowed. */
  permissions?: Permissions;
}

export const choices: readonly Choice[] = [
  { value: 'all', label: 'Everything you may do', about: 'In this organization' },
  {
    value: 'read',
    label: 'See everything',
    about: 'Changes nothing, reads no secrets',
    permissions: permissionsOf(new Set(areas.map((area) => boxOf(area, 'read')))),
  },
  {
    value: 'deploy',
    label: 'Deploy',
    about: 'For CI: applications and compose services',
    permissions: {
      project: ['read'],
      application: ['read', 'deploy', 'write'],
      compose: ['read', 'deploy', 'write'],
      deployment: ['read'],
    },
  },
  { value: 'chosen', label: 'Choose', about: 'By area' },
];
