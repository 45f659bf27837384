export const texts = {
  title: 'Projects',
  emptyTitle: 'No projects yet',
  empty: 'A project holds services that belong together, in environments such as production and staging.',
  create: 'New project',
  logs: 'Logs',
  logsEmpty: 'Waiting for what the services of this environment write.',
  logsNothing: 'No service of this environment runs.',
  baseDomain:
    'Services and previews without a host of their own are named service-project below it, over https. ' +
    'Empty: below that of their server, or of the installation.',
  removeStays: 'This cannot be undone. Only a project without services can be removed.',
  mapMasked: 'Lines are missing where you may not read the variables of a service.',
  mapWithoutLines:
    'No service refers to another one yet. A variable such as ${{db.URL}} draws a line to the service that ' +
    'it names.',
  mapTooLarge: (count: number, most: number) =>
    `The map shows up to ${most} services; this environment has ${count}. The list has them all.`,
};
