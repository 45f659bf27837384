export const texts = {
  title: 'Deployments',
  about: 'The newest of all services. Each service lists all of its own in its Deployments tab.',
  empty: 'Every build, release and rollback is listed here with its log.',
  rollbackTitle: 'Roll back to this deployment?',
  rollback: 'Its image is released again with the settings it had then. Nothing is built.',
  rollbackStays: 'Data, volumes and domains stay as they are.',
};
export const stageWords: Record<string, string> = {
  checkout: 'Fetch source',
  build: 'Build',
  publish: 'Publish image',
  release: 'Release',
  'await-healthy': 'Wait until healthy',
  route: 'Route',
  prune: 'Clean up',
  pull: 'Pull image',
  beside: 'Start alongside',
  copy: 'Copy data',
  'verify-query': 'Query the database',
  switch: 'Switch over',
};
