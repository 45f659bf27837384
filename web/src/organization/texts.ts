export const texts = {
  trustTitle: (name: string): string => `Trust ${name} with the machine?`,
  trust:
    'Its Owners and Admins may then bind folders of the machine, the socket of its engine, privileged ' +
    'containers and the like into their services. Whoever may do that is root on this machine and reaches ' +
    'the data of every other organization on it.',
  trustEnds: 'Switching it off again refuses the next deployment of what was approved; it stops nothing.',
  programs:
    'A program in a service can print its variables: whoever opens a terminal there, or changes and ' +
    'deploys what runs, can read them.',
  invited: 'There is no mail server: give this link to the person. It works once, within 7 days.',
  remove: 'Their sessions and keys here end at once. What they made stays.',
  grants: {
    canCreateProjects: 'Create projects',
    canDeleteProjects: 'Delete projects',
    canCreateServices: 'Create services',
    canDeleteServices: 'Delete services',
    canCreateEnvironments: 'Create environments',
    canDeleteEnvironments: 'Delete environments',
    canAccessToContainers: 'See containers',
    canAccessToAPI: 'Make API keys',
    canAccessToSSHKeys: 'Use SSH keys',
    canAccessToGitProviders: 'Use git hosts',
    canReadSecrets: 'Read variables and passwords',
    canOpenTerminal: 'Open a terminal, run commands and schedules',
    canForwardPorts: 'Forward ports',
  } as Record<string, string>,
};
