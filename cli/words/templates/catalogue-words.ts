/** `berth template catalogues` and what is done to one of them. */
import type { Client } from '../../../client/client.ts';
import { readText } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import { itemsOf, type Context } from '../parts/context.ts';
import { listWord } from '../parts/rows.ts';
import type { Word } from '../parts/word.ts';

type Catalogue = Awaited<ReturnType<Client['templateCatalogue']['one']>>;

const list = listWord({
  name: 'template catalogues',
  summary: 'lists the catalogues of templates that the organization has added',
  procedure: 'templateCatalogue.all',
  read: (client) => client.templateCatalogue.all(),
  columns: () => [
    { title: 'catalogue', value: (row) => row.name },
    { title: 'address', value: (row) => row.url },
    { title: 'templates', value: (row) => String(row.templateCount) },
    { title: 'read', value: (row) => row.lastError ?? row.readAt ?? '', spare: 1 },
  ],
  none: 'There are no catalogues. `berth template catalogue add NAME ADDRESS` adds one.',
});

/** The one of that name, or of that id; throws UsageError where there is none. */
export async function catalogueOf(client: Client, written: string): Promise<Catalogue> {
  const all = itemsOf(await client.templateCatalogue.all());
  const named = all.filter(
    ({ name, templateCatalogueId }) => written === name || written === templateCatalogueId,
  );
  const [found] = named;
  if (found === undefined)
    throw new UsageError(`There is no catalogue ${written}. \`berth template catalogues\` lists them.`);
  if (named.length > 1)
    throw new UsageError(`${named.length} catalogues are called ${written}. Give the id of one.`);
  return found;
}

const told = ({ name, templateCount, leftOut }: Catalogue): string =>
  [
    `${name} has ${templateCount} ${templateCount === 1 ? 'template' : 'templates'}.`,
    ...leftOut.map((one) => `· ${one.name} was left out: ${one.reason}`),
    '',
  ].join('\n');

const add: Word = {
  name: 'template catalogue add',
  usage: 'NAME ADDRESS',
  summary: 'reads a catalogue of templates from a git repository and adds it',
  description:
    'In the format of Berth, Dokploy, Coolify or CapRover. It is read again every day; its templates are ' +
    'used with `berth template create TEMPLATE project/name --catalogue NAME`.',
  options: {
    branch: { value: 'BRANCH', description: 'branch or tag; absent: the default branch' },
    folder: { value: 'FOLDER', description: 'folder of the repository that is read' },
    user: { value: 'NAME', description: 'signs in to a private repository' },
    'password-stdin': { description: 'reads its password or token from the input' },
  },
  most: 2,
  calls: ['templateCatalogue.create'],
  async run(context) {
    const [name, url] = context.args;
    if (name === undefined || url === undefined)
      throw new UsageError('Usage: berth template catalogue add NAME ADDRESS');
    const username = context.text('user');
    const password = context.is('password-stdin')
      ? (await readText(context.terminal, '-')).trim()
      : undefined;
    const { client } = await context.berth();
    const made = await client.templateCatalogue.create({
      name,
      url,
      branch: context.text('branch') ?? '',
      folder: context.text('folder') ?? '',
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
    });
    context.answer(made, () => told(made));
  },
};

/** The catalogue that the word is given. */
async function chosen(
  context: Context,
  verb: string,
): Promise<{ client: Client; templateCatalogueId: string }> {
  const [name] = context.args;
  if (name === undefined) throw new UsageError(`Usage: berth template catalogue ${verb} NAME`);
  const { client } = await context.berth();
  return { client, templateCatalogueId: (await catalogueOf(client, name)).templateCatalogueId };
}

const refresh: Word = {
  name: 'template catalogue refresh',
  usage: 'NAME',
  summary: 'reads a catalogue of templates again',
  most: 1,
  calls: ['templateCatalogue.all', 'templateCatalogue.refresh'],
  async run(context) {
    const { client, templateCatalogueId } = await chosen(context, 'refresh');
    const read = await client.templateCatalogue.refresh({ templateCatalogueId });
    context.answer(read, () => told(read));
  },
};

const remove: Word = {
  name: 'template catalogue remove',
  usage: 'NAME',
  summary: 'removes a catalogue; services made of its templates stay',
  most: 1,
  calls: ['templateCatalogue.all', 'templateCatalogue.remove'],
  async run(context) {
    const { client, templateCatalogueId } = await chosen(context, 'remove');
    const removed = await client.templateCatalogue.remove({ templateCatalogueId });
    context.answer(removed, () => `${removed.name} is removed; services made of its templates stay.\n`);
  },
};

export const catalogueWords: readonly Word[] = [list, add, refresh, remove];
