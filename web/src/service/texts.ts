export const texts = {
  deploy: 'Deploy',
  pending: (count: number) => (count === 1 ? '1 change not deployed' : `${count} changes not deployed`),
  neverDeployed: 'Nothing runs yet',
  neverDeployedMore: (hasSource: boolean): string =>
    hasSource
      ? 'Choose its source, then deploy it. The log is live.'
      : 'Deploy it to start it. The log is live.',
  stopTitle: 'Stop this service?',
  stop: 'Its tasks end and its addresses stop answering. Images and data stay; Start brings it back.',
  logsEmpty: 'Waiting for what the service writes.',
  endedEmpty: 'It wrote nothing.',
  notRunning: 'No task is running, so nothing is written.',
};
export const tabWords = {
  overview: 'Overview',
  deployments: 'Deployments',
  logs: 'Logs',
  variables: 'Variables',
  domains: 'Domains',
  file: 'Compose file',
  browse: 'Contents',
  data: 'Data',
  schedules: 'Schedules',
  previews: 'Previews',
  terminal: 'Terminal',
  settings: 'Settings',
} as const;
export type TabName = keyof typeof tabWords;
