export const texts = {
  title: 'Projects',
  emptyTitle: 'No project yet',
  empty: 'A project holds services that belong together, in environments such as production and staging.',
  create: 'New project',
  removeStays: 'Nothing can be undone. A project is removed only when no service stands in it.',
};
