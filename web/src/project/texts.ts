export const texts = {
  title: 'Projects',
  emptyTitle: 'No projects yet',
  empty: 'A project holds services that belong together, in environments such as production and staging.',
  create: 'New project',
  removeStays: 'This cannot be undone. A project can be removed only when it has no services.',
};
