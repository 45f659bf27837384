/** Every screen of the dashboard, by its address on a seeded installation. */
import type { World } from '../world/world.ts';

/** Pages below `/settings/`, in the order of their list. */
export const settingsPages: readonly string[] = [
  'account',
  'keys',
  'members',
  'organization',
  'git',
  'registries',
  'ssh-keys',
  'destinations',
  'certificates',
  'coverage',
  'dns-providers',
  'notifications',
  'log-drains',
  'installation',
  'audit',
];

export const screensOf = ({ own }: World): string[] => [
  '/',
  '/new',
  '/new?kind=upload',
  '/new?kind=template',
  '/new?kind=compose',
  '/projects',
  `/projects/${own.projectId}`,
  `/projects/${own.projectId}?view=map`,
  `/projects/${own.projectId}/logs`,
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
  ...[
    '',
    '/deployments',
    '/file',
    '/logs',
    '/variables',
    '/domains',
    '/data',
    '/schedules',
    '/terminal',
    '/settings',
  ].map((tab) => `/compose/${own.composeId}${tab}`),
  ...['', '/deployments', '/logs', '/variables', '/browse', '/data', '/terminal', '/settings'].map(
    (tab) => `/databases/postgres/${own.postgresId}${tab}`,
  ),
  '/deployments',
  `/deployments/${own.deploymentId}`,
  '/connect-github',
  '/alarms',
  '/servers',
  `/servers/${own.serverId}`,
  ...settingsPages.map((section) => `/settings/${section}`),
  '/design',
];

/** Those that stand before the dashboard, for whoever has not signed in. */
export const doors: readonly string[] = ['/sign-in', '/sign-up#a-token', '/join#a-token'];

/** What only an engine, a repository or a server can answer is refused here, in words on the page. */
export const withoutEngine = [412, 503];
