export const texts = {
  title: 'Projects',
  emptyTitle: 'No projects yet',
  empty: 'A project holds services that belong together, in environments such as production and staging.',
  create: 'New project',
  removeStays: 'This cannot be undone. Only a project without services can be removed.',
};
