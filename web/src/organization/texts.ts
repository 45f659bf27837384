export const texts = {
  invited: 'No mail server is set up: send this link to the person. It is valid for 7 days and for one use.',
  remove: 'Their sessions and keys here end at once. What they created stays.',
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
    canOpenTerminal: 'Open a terminal',
  } as Record<string, string>,
};
