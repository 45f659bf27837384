/** `berth previews`, previews that are made by hand or by a runner, and approvals of pull requests. */
import { ago } from '../look.ts';
import { UsageError } from '../usage-error.ts';
import { itemsOf, type Context } from './parts/context.ts';
import { follow } from './parts/follow-deployment.ts';
import { listWord, statusColumn } from './parts/rows.ts';
import { nameOf, serviceOf, type Service } from './parts/services.ts';
import { numberOf } from './status.ts';
import type { Word } from './parts/word.ts';

/** The service whose previews these are, as procedures name it. */
function ownerOf(service: Service): { applicationId: string } | { composeId: string } {
  if (service.kind === 'application') return { applicationId: service.id };
  if (service.kind === 'compose') return { composeId: service.id };
  throw new UsageError(
    `${nameOf(service)} is a ${service.kind} service; only applications and compose services have previews.`,
  );
}

const list = listWord({
  name: 'previews',
  usage: '[service]',
  summary: 'lists the previews of a service',
  procedure: 'previewDeployment.all',
  more: ['project.all'],
  async read(client, context) {
    return client.previewDeployment.all(ownerOf(await serviceOf(context, context.args[0])));
  },
  columns: (context) => [
    { title: 'preview', value: (row) => row.name ?? `#${row.pullRequestNumber ?? ''}` },
    statusColumn(context),
    { title: 'branch', value: (row) => row.image ?? (row.branch || row.commit?.slice(0, 8)) },
    { title: 'address', value: (row) => row.domain },
    { title: 'created', value: (row) => ago(row.createdAt, context.terminal.now()), spare: 1 },
  ],
  none: 'There are no previews.',
});

/** `copy of shop-db`: what filled a database of a preview. */
const origins = { empty: 'empty, for', copy: 'copy of', backup: 'backup of' } as const;

interface OwnRow {
  preview: string;
  status: string;
  /** Absent in the row that tells why a preview failed. */
  one?: {
    name: string;
    databaseType: string;
    from: keyof typeof origins;
    sourceName: string;
    asOf: string;
    isMasked: boolean;
  };
  reason: string | null;
}

const databases = listWord({
  name: 'preview databases',
  usage: '[service]',
  summary: 'lists the databases that the previews of a service have of their own',
  procedure: 'previewDeployment.all',
  more: ['project.all'],
  async read(client, context) {
    const previews = itemsOf(
      await client.previewDeployment.all(ownerOf(await serviceOf(context, context.args[0]))),
    );
    return previews.flatMap(({ name, pullRequestNumber, databases: all, errorMessage }) => {
      const preview = name ?? `#${pullRequestNumber ?? ''}`;
      const own: OwnRow[] = all.map((one) => ({
        preview,
        status: one.status,
        one,
        reason: one.errorMessage,
      }));
      // One that could not be filled is removed, and the deployment has its reason.
      if (errorMessage !== null) own.push({ preview, status: 'error', reason: errorMessage });
      return own;
    });
  },
  columns: (context) => [
    { title: 'preview', value: (row) => row.preview },
    statusColumn(context),
    { title: 'database', value: ({ one }) => one?.name },
    { title: 'kind', value: ({ one }) => one?.databaseType, spare: 1 },
    { title: 'from', value: ({ one }) => one && `${origins[one.from]} ${one.sourceName}` },
    { title: 'of', value: ({ one }) => ago(one?.asOf, context.terminal.now()), spare: 1 },
    { title: 'masked', value: ({ one }) => one && (one.isMasked ? 'yes' : 'no') },
    { title: 'reason', value: ({ reason }) => reason, spare: 2 },
  ],
  none: 'No preview has a database of its own.',
});

const followCalls = ['deployment.latest', 'deployment.logs', 'deployment.one'] as const;

const create: Word = {
  name: 'preview create',
  usage: 'NAME [service]',
  summary: 'makes a preview of a branch, a commit or an image, or deploys it anew',
  description:
    'The preview answers at a host of its own below previewWildcard, with the variables of previews. The ' +
    'same name again deploys the same preview anew, so that a runner can call it for each push. It waits ' +
    'for the end of the deployment and prints the address. A commit alone gets no variables, since hosts ' +
    'serve the commits of forks, too.',
  options: {
    branch: { value: 'BRANCH', description: 'the newest commit of this branch of the repository' },
    commit: { value: 'SHA', description: 'this commit, by its whole id' },
    image: {
      short: 'i',
      value: 'REFERENCE',
      description: 'this image in place of a build; applications only',
    },
    'expires-in': { value: 'HOURS', description: 'removes it after so many hours; default: it stays' },
    'no-wait': { description: 'ends as soon as the deployment is queued' },
  },
  most: 2,
  calls: ['project.all', 'previewDeployment.create', ...followCalls],
  async run(context) {
    const [name, ofService] = context.args;
    if (name === undefined)
      throw new UsageError('Which name? Usage: berth preview create NAME [service] --branch BRANCH');
    const source = sourceOf(context);
    const hours = context.text('expires-in') === undefined ? undefined : numberOf(context, 'expires-in', 1);
    const service = await serviceOf(context, ofService);
    const { client } = await context.berth();
    const made = await client.previewDeployment.create({
      ...ownerOf(service),
      ...source,
      name,
      ...(hours === undefined ? {} : { expiresInHours: hours }),
    });
    return followPreview(context, made, `the preview ${name} of ${nameOf(service)}`);
  },
};

/** Follows the newest deployment of a preview to its end. */
async function followPreview(
  context: Context,
  {
    previewDeploymentId,
    applicationId,
    domain,
  }: { previewDeploymentId: string; applicationId: string | null; domain: string },
  name: string,
): Promise<number> {
  const { client } = await context.berth();
  const latest = await client.deployment.latest(
    applicationId === null ? { composeId: previewDeploymentId } : { previewDeploymentId },
  );
  const url = async (): Promise<string | undefined> => (domain === '' ? undefined : domain);
  return follow(context, { name, url }, { deploymentId: latest?.deploymentId });
}

function sourceOf(context: Context): { branch?: string; commit?: string; image?: string } {
  const given = (['branch', 'commit', 'image'] as const).flatMap((field) => {
    const text = context.text(field);
    return text === undefined ? [] : [[field, text] as const];
  });
  if (given.length === 1) return Object.fromEntries(given);
  throw new UsageError(
    given.length === 0
      ? 'Of what? Give --branch BRANCH, --commit SHA or --image REFERENCE.'
      : `${given.map(([field]) => `--${field}`).join(' and ')} exclude each other; give one.`,
  );
}

const remove: Word = {
  name: 'preview remove',
  usage: 'NAME [service]',
  summary: 'removes a preview with its containers, volumes and address',
  description: 'NAME is the name that it was made with, or the number of its pull request.',
  most: 2,
  calls: ['project.all', 'previewDeployment.all', 'previewDeployment.delete'],
  async run(context) {
    const [name, ofService] = context.args;
    if (name === undefined) throw new UsageError('Which one? Usage: berth preview remove NAME [service]');
    const service = await serviceOf(context, ofService);
    const { client } = await context.berth();
    const number = /^#?(\d+)$/.exec(name)?.[1];
    const found = itemsOf(await client.previewDeployment.all(ownerOf(service))).find((preview) =>
      number === undefined ? preview.name === name : preview.pullRequestNumber === Number(number),
    );
    if (!found)
      throw new UsageError(
        `${nameOf(service)} has no preview ${name}; \`berth previews ${nameOf(service)}\` lists them.`,
      );
    const { previewDeploymentId } = found;
    await client.previewDeployment.delete({ previewDeploymentId });
    const removed = { service: nameOf(service), preview: name, previewDeploymentId };
    context.answer(removed, () => `Removed the preview ${name} of ${nameOf(service)}.\n`);
  },
};

const waiting = listWord({
  name: 'preview waiting',
  usage: '[service]',
  summary: 'lists the pull requests whose newest commit waits for an approval',
  procedure: 'previewDeployment.waiting',
  more: ['project.all'],
  async read(client, context) {
    return client.previewDeployment.waiting(ownerOf(await serviceOf(context, context.args[0])));
  },
  columns: (context) => [
    { title: 'pull request', value: (row) => row.pullRequestNumber, right: true },
    { title: 'commit', value: (row) => row.commit.slice(0, 12) },
    { title: 'author', value: (row) => row.author },
    { title: 'title', value: (row) => row.title, spare: 2 },
    { title: 'since', value: (row) => ago(row.heldAt, context.terminal.now()), spare: 1 },
  ],
  none: 'No pull request waits.',
});

const approve: Word = {
  name: 'preview approve',
  usage: 'NUMBER [service]',
  summary: 'makes the preview of one commit of a pull request that waits',
  description:
    'Read the commit at the git host first: its code runs on your server. Only this commit is approved; ' +
    'the next push waits anew. It gets no variables and secrets without --with-variables.',
  options: {
    commit: { value: 'SHA', description: 'the commit that you have read, by seven digits or more' },
    'with-variables': { description: 'gives it the variables and secrets of previews' },
    'no-wait': { description: 'ends as soon as the deployment is queued' },
  },
  most: 2,
  calls: ['project.all', 'previewDeployment.waiting', 'previewDeployment.approve', ...followCalls],
  async run(context) {
    const [text, ofService] = context.args;
    const commit = context.text('commit');
    const number = /^#?([1-9]\d{0,14})$/.exec(text ?? '')?.[1];
    if (number === undefined || commit === undefined || !/^[0-9a-f]{7,64}$/.test(commit))
      throw new UsageError(
        'Which pull request and commit? Usage: berth preview approve NUMBER [service] --commit SHA',
      );
    const service = await serviceOf(context, ofService);
    const { client } = await context.berth();
    const held = itemsOf(await client.previewDeployment.waiting(ownerOf(service))).find(
      ({ pullRequestNumber }) => pullRequestNumber === Number(number),
    );
    if (!held?.commit.startsWith(commit))
      throw new UsageError(
        (held
          ? `The newest commit of the pull request ${number} is ${held.commit.slice(0, 12)}, not ${commit}; `
          : `No pull request ${number} of ${nameOf(service)} waits; `) +
          `\`berth preview waiting ${nameOf(service)}\` lists those that do.`,
      );
    const made = await client.previewDeployment.approve({
      ...ownerOf(service),
      pullRequestNumber: held.pullRequestNumber,
      commit: held.commit,
      withVariables: context.is('with-variables'),
    });
    return followPreview(context, made, `the preview of the pull request ${number} of ${nameOf(service)}`);
  },
};

export const previewWords: readonly Word[] = [list, databases, create, remove, waiting, approve];
