export const texts = {
  title: 'New service',
  first: 'Deploy your first application',
  steps: ['Source', 'Name and deploy', 'Watch it start'],
  drop: 'Drop a folder, a zip or a tar here',
  templates:
    'Compose files of our own writing with pinned images. Each version of Berth checks that it can run ' +
    'the files; the images themselves are not tried by us.',
  templateHost:
    'Where it answers, over https with a certificate of its own. Empty: a generated test name over http, ' +
    'which needs no DNS of yours.',
  templateFurtherHost: 'Empty: a generated test name where the host above is empty, too.',
  templateWithoutDomain: 'It has no domain: other services of the environment reach it by its name.',
  kinds: {
    git: ['Git address', 'A repository that Berth fetches and builds'],
    upload: ['Folder', 'A folder or an archive on this computer'],
    image: ['Image', 'A container image from a registry'],
    template: ['Template', 'A well-known application, ready to run'],
    database: ['Database', 'PostgreSQL, MySQL, MariaDB, MongoDB, Redis'],
    compose: ['Compose file', 'Several services from one file'],
  },
} as const;
