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
  noNetwork: 'You are offline. This may be out of date.',
  noCode: 'This page could not be loaded',
  noCodeHelp: 'Berth does not answer, or was upgraded since this tab was opened. Loading it again helps.',
  noSession: 'Berth does not answer',
};
