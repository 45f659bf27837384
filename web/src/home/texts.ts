export const texts = {
  title: 'Home',
  filter: 'Filter by name, host, project or kind',
  sort: 'Sort',
  sorts: {
    attention: 'What needs attention first',
    name: 'By name',
    project: 'By project',
    newest: 'Newest change first',
    memory: 'Most memory first',
    processor: 'Most processor first',
  },
  emptyTitle: 'Deploy your first application',
  empty:
    'Paste a git address, name an image or drop a folder. Berth builds it, starts it and shows its address.',
  waitingTitle: 'Nothing is shared with you yet',
  waiting:
    'Ask the person who invited you, or any Owner or Admin of this organization: they choose the projects ' +
    'that you see, and what you may do in them, under Settings, Members.',
  start: 'New service',
  attention: 'Needs attention',
  all: 'Services',
  alarms: (count: number) => (count === 1 ? '1 alarm' : `${count} alarms`),
};
