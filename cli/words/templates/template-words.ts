/** `berth templates` and `berth template create`. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Client } from '../../../client/client.ts';
import { UsageError } from '../../usage-error.ts';
import type { Context } from '../parts/context.ts';
import { newPlaceOf } from '../parts/deploy-target.ts';
import { followDeployment } from '../parts/follow-deployment.ts';
import { listWord } from '../parts/rows.ts';
import { assignmentsOf } from '../parts/env-lines.ts';
import type { Word } from '../parts/word.ts';
import { catalogueOf, catalogueWords } from './catalogue-words.ts';
import { templateUpdateWords } from './template-update-words.ts';

type Asked = Parameters<Client['template']['create']>[0];

const list = listWord({
  name: 'templates',
  summary: "lists the templates of well-known applications, and those of the organization's catalogues",
  procedure: 'template.all',
  read: (client) => client.template.all(),
  columns: () => [
    { title: 'template', value: (row) => row.name },
    { title: 'what it is', value: (row) => row.description },
    { title: 'catalogue', value: (row) => row.catalogue?.name ?? '', spare: 1 },
    { title: 'tags', value: (row) => row.tags.join(', '), spare: 2 },
  ],
  none: 'There are no templates.',
});

const create: Word = {
  name: 'template create',
  usage: 'TEMPLATE project/name',
  summary: 'makes a compose service of a template and deploys it',
  description:
    'TEMPLATE is a name that `berth templates` lists, or a folder with template.yml and compose.yml, as ' +
    '`berth import templates` writes them (./name where both exist). Without --host it answers at a ' +
    'generated test name. Passwords that are not given are generated.',
  options: {
    catalogue: { value: 'NAME', description: 'catalogue of the organization that TEMPLATE is of' },
    host: { value: 'HOST', description: 'where it answers, over https with a certificate' },
    'host-of': {
      value: 'DOMAIN=HOST',
      multiple: true,
      description: 'host of a further domain of the template',
    },
    http: { description: 'without a certificate' },
    set: { value: 'NAME=VALUE', multiple: true, description: 'value of a variable of the template' },
    'no-wait': { description: 'does not wait until it runs' },
  },
  most: 2,
  calls: [
    'project.all',
    'project.create',
    'template.create',
    'templateCatalogue.all',
    'compose.one',
    'deployment.one',
    'deployment.logs',
  ],
  async run(context) {
    const [written, named] = context.args;
    if (written === undefined || named === undefined)
      throw new UsageError('Usage: berth template create TEMPLATE project/name');
    const [hosts, variables] = [assignmentsOf(context.texts('host-of')), assignmentsOf(context.texts('set'))];
    const source = await sourceOf(context, written);
    const { client } = await context.berth();
    const catalogue = context.text('catalogue');
    const of = catalogue === undefined ? undefined : await catalogueOf(client, catalogue);
    const { project, environment, name } = await newPlaceOf(context, named);
    const host = context.text('host');
    const made = await client.template.create({
      ...source,
      ...(of && { templateCatalogueId: of.templateCatalogueId }),
      name,
      environmentId: environment.environmentId,
      ...(host === undefined ? {} : { host }),
      ...(context.is('http') ? { https: false } : {}),
      hosts: Object.fromEntries(hosts),
      variables: Object.fromEntries(variables),
    });
    for (const text of [made.firstSignIn, made.instructions]) if (text !== '') context.say(text);
    const { composeId, appName, deploymentId } = made;
    const service = { kind: 'compose', id: composeId, name, appName, status: 'queued' } as const;
    return followDeployment(context, { ...service, project, environment }, deploymentId);
  },
};

/** A folder, or the name of one of Berth's own. */
async function sourceOf(context: Context, written: string): Promise<Pick<Asked, 'template' | 'definition'>> {
  const isName = /^[a-z0-9-]+$/.test(written);
  const folder = resolve(context.terminal.folder, written);
  const isFolder = !isName && (await stat(folder).catch(() => undefined))?.isDirectory() === true;
  if (!isName && !isFolder)
    throw new UsageError(
      `${written} is neither the name of a template nor a folder. \`berth templates\` lists them.`,
    );
  if (isName) return { template: written };
  const { readTemplateFolder } = await import('../../import/templates/catalogue.ts');
  return { definition: await readTemplateFolder(folder) };
}

export const templateWords: readonly Word[] = [list, create, ...catalogueWords, ...templateUpdateWords];
