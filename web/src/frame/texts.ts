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
    'Plain HTTP: what you type can be read on the way. Fine on a private network; elsewhere set a host name.',
  offline: 'No connection. Trying again…',
};
