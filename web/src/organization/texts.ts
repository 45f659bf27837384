export const texts = {
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
