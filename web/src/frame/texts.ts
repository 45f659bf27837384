export const texts = {
  home: 'Home',
  projects: 'Projects',
  deployments: 'Deployments',
  deploymentsShort: 'Deploys',
  servers: 'Servers',
  settings: 'Settings',
  find: 'Find or do…',
  signOut: 'Sign out',
  plainHttp:
    'Plain http: what you type can be read on the way. Fine on a private network; elsewhere name a host.',
  offline: 'No connection. Trying again…',
};
