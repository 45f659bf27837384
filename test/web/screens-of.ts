/** Every screen of the dashboard, by its address on a seeded installation. */
import type { World } from '../world/world.ts';

export const screensOf = ({ own }: World): string[] => [
  '/',
  '/new',
  '/new?kind=upload',
  '/new?kind=template',
  '/new?kind=compose',
  '/projects',
  `/projects/${own.projectId}`,
  ...[
    '',
    '/deployments',
    '/logs',
    '/variables',
    '/domains',
    '/data',
    '/schedules',
    '/previews',
    '/terminal',
    '/settings',
  ].map((tab) => `/applications/${own.applicationId}${tab}`),
  ...['', '/file', '/variables', '/settings'].map((tab) => `/compose/${own.composeId}${tab}`),
  ...['', '/data', '/settings'].map((tab) => `/databases/postgres/${own.postgresId}${tab}`),
  '/deployments',
  `/deployments/${own.deploymentId}`,
  '/alarms',
  '/servers',
  `/servers/${own.serverId}`,
  ...[
    'account',
    'keys',
    'members',
    'organization',
    'git',
    'registries',
    'ssh-keys',
    'destinations',
    'certificates',
    'notifications',
    'log-drains',
    'installation',
    'audit',
  ].map((section) => `/settings/${section}`),
  '/design',
];

/** What only an engine, a repository or a server can answer is refused here, in words on the page. */
export const withoutEngine = [412, 503];
