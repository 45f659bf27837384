/** Who calls, what a folder and a name mean, and what belongs to the organization. */
import { removeLink, linkOf, saveLink, saveScope, scopeOf } from '../folder-links.ts';
import { didYouMean } from '../../server/src/domain/text/closest.ts';
import { ago } from '../look.ts';
import { UsageError } from '../usage-error.ts';
import { itemsOf } from './parts/context.ts';
import { listWord, statusColumn } from './parts/rows.ts';
import { allServices, nameOf, serviceKinds, serviceOf } from './parts/services.ts';
import type { Word } from './parts/word.ts';

const whoami: Word = {
  name: 'whoami',
  usage: '',
  summary: 'shows who is signed in, where, and what this folder is linked to',
  most: 0,
  calls: ['user.get', 'organization.all'],
  async run(context) {
    const { client, connection } = await context.berth();
    const { email, role, organizationId } = await client.user.get();
    const organizations = itemsOf(await client.organization.all());
    const organization = organizations.find((one) => one.organizationId === organizationId)?.name ?? '';
    const scope = await scopeOf(context.terminal, connection.url);
    const link = await linkOf(context.terminal, connection.url);
    const answer = {
      url: connection.url,
      email,
      role,
      organization,
      project: scope ?? null,
      service: link?.name ?? null,
    };
    context.answer(answer, () =>
      [
        `${email} (${role}) of ${organization} at ${connection.url}`,
        ...(scope === undefined ? [] : [`Names without a project refer to ${scope}.`]),
        ...(link === undefined ? [] : [`This folder is linked to ${link.name}.`]),
        '',
      ].join('\n'),
    );
  },
};

const use: Word = {
  name: 'use',
  usage: '[project[/environment]]',
  summary: 'sets the project for names without one',
  options: { none: { description: 'forgets it' } },
  most: 1,
  calls: ['project.all'],
  async run(context) {
    const { client, connection } = await context.berth();
    const [scope] = context.args;
    if (context.is('none')) await saveScope(context.terminal, connection.url, undefined);
    else if (scope !== undefined) {
      const projects = itemsOf(await client.project.all());
      const known = projects.flatMap(({ name, environments }) => [
        name,
        ...environments.map((environment) => `${name}/${environment.name}`),
      ]);
      if (!known.includes(scope))
        throw new UsageError(
          `There is no project ${scope}.${didYouMean(scope, known)} \`berth projects\` lists the projects.`,
        );
      await saveScope(context.terminal, connection.url, scope);
    }
    const now = await scopeOf(context.terminal, connection.url);
    context.answer({ project: now ?? null }, () =>
      now === undefined ? 'No project is in use.\n' : `Names without a project refer to ${now}.\n`,
    );
  },
};

const link: Word = {
  name: 'link',
  usage: '[service]',
  summary: 'links this folder to a service, so that commands in it need no name',
  description:
    'The link is stored with the sign-in (~/.config/berth/folders.json), not in the folder. Without a ' +
    'service, the current link is shown.',
  options: { remove: { description: 'removes the link' } },
  most: 1,
  calls: ['project.all'],
  async run(context) {
    const { connection } = await context.berth();
    const { terminal } = context;
    if (context.is('remove')) await removeLink(terminal);
    else if (context.args[0] !== undefined) {
      const service = await serviceOf(context, context.args[0]);
      await saveLink(terminal, { url: connection.url, serviceId: service.id, name: nameOf(service) });
    }
    const now = await linkOf(terminal, connection.url);
    context.answer({ service: now?.name ?? null }, () =>
      now === undefined ? 'This folder is not linked.\n' : `This folder is linked to ${now.name}.\n`,
    );
  },
};

const projects = listWord({
  name: 'projects',
  summary: 'lists the projects and the number of their services',
  procedure: 'project.all',
  read: (client) => client.project.all(),
  columns: (context) => [
    { title: 'project', value: (row) => row.name },
    { title: 'environments', value: (row) => row.environments.map(({ name }) => name).join(', ') },
    {
      title: 'services',
      right: true,
      value: (row) =>
        row.environments
          .flatMap((environment) => Object.values(serviceKinds).map(({ list }) => environment[list].length))
          .reduce((sum, count) => sum + count, 0),
    },
    { title: 'created', value: (row) => ago(row.createdAt, context.terminal.now()), spare: 1 },
  ],
  none: 'There is no project yet. `berth deploy` in a folder creates the first one.',
});

const servers = listWord({
  name: 'servers',
  summary: 'lists the remote servers of the organization',
  procedure: 'server.all',
  read: (client) => client.server.all(),
  columns: (context) => [
    { title: 'server', value: (row) => row.name },
    statusColumn(context),
    { title: 'address', value: (row) => `${row.username}@${row.ipAddress}:${row.port}` },
    { title: 'type', value: (row) => row.serverType, spare: 2 },
    { title: 'services', value: (row) => row.totalServices, right: true, spare: 1 },
  ],
  none: "There are no remote servers; services run on Berth's own machine.",
});

const members = listWord({
  name: 'members',
  summary: 'lists the members of the organization',
  procedure: 'organization.members',
  read: (client) => client.organization.members(),
  columns: (context) => [
    { title: 'e-mail', value: (row) => row.email },
    { title: 'name', value: (row) => row.name, spare: 2 },
    { title: 'role', value: (row) => row.role },
    { title: 'since', value: (row) => ago(row.createdAt, context.terminal.now()), spare: 1 },
  ],
  none: 'There are no members.',
});

/** For completion: one name a line. */
const names: Word = {
  name: '__services',
  usage: '',
  summary: 'names of all services, a line each',
  hidden: true,
  most: 0,
  calls: ['project.all'],
  async run(context) {
    const { client } = await context.berth();
    for (const name of (await allServices(client)).map(nameOf))
      if (isPlainName(name)) context.terminal.out(`${name}\n`);
  },
};

/** What every shell takes for one word and nothing else; others are not completed. */
const isPlainName = (name: string): boolean => /^[\w.][\w./-]*$/.test(name);

export const accountWords: readonly Word[] = [whoami, use, link, projects, servers, members, names];
