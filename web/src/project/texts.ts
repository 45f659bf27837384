export const texts = {
  title: 'Projects',
  emptyTitle: 'No projects yet',
  empty: 'A project holds services that belong together, in environments such as production and staging.',
  create: 'New project',
  logs: 'Logs',
  logsEmpty: 'Waiting for what the services of this environment write.',
  logsNothing: 'No service of this environment runs.',
  removeStays: 'This cannot be undone. Only a project without services can be removed.',
};
