/** `berth template updates` and `berth template update`: services made of a template that is newer now. */
import type { Client } from '../../../client/client.ts';
import { exitCodes } from '../../exit-codes.ts';
import { ask, confirm, isPersonThere } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import { assignmentsOf } from '../parts/env-lines.ts';
import { followDeployment } from '../parts/follow-deployment.ts';
import type { Context } from '../parts/context.ts';
import { listWord } from '../parts/rows.ts';
import { nameOf, serviceOf } from '../parts/services.ts';
import type { Word } from '../parts/word.ts';

type Changes = NonNullable<Awaited<ReturnType<Client['template']['changes']>>>;

const list = listWord({
  name: 'template updates',
  summary: 'lists services made of a template of which Berth has a newer one',
  procedure: 'template.updates',
  read: (client) => client.template.updates(),
  columns: () => [
    { title: 'service', value: (row) => row.name },
    { title: 'template', value: (row) => row.template },
    { title: 'images', value: ({ images }) => images.map(imageWords).join(', ') },
  ],
  none: 'Every service that was made of a template has its newest form.',
});

const choices = ['merge', 'replace', 'keep'] as const;

const update: Word = {
  name: 'template update',
  usage: '[service]',
  summary: 'brings a service to the newer form of its template and deploys it',
  description:
    'Shows first what changes and asks. Variables keep their values; new ones are generated or given with ' +
    '--set. Where the compose file was edited, --merge puts edits and template together, --replace drops ' +
    'the edits, and --keep leaves the file as it is and does not offer this version again.',
  options: {
    merge: { description: 'puts edits of the compose file and the template together' },
    replace: { description: 'takes the compose file of the template; edits are lost' },
    keep: { description: 'leaves everything as it is' },
    set: { value: 'NAME=VALUE', multiple: true, description: 'value of a variable that is new' },
    yes: { short: 'y', description: 'does not ask' },
    'no-wait': { description: 'does not wait until it runs' },
  },
  most: 1,
  calls: [
    'project.all',
    'template.changes',
    'template.apply',
    'compose.deploy',
    'compose.one',
    'deployment.latest',
    'deployment.one',
    'deployment.logs',
  ],
  async run(context) {
    const given = choices.filter((choice) => context.is(choice));
    if (given.length > 1) throw new UsageError('--merge, --replace and --keep exclude each other; give one.');
    const { client } = await context.berth();
    const service = await serviceOf(context, context.args[0]);
    const changes =
      service.kind === 'compose' ? await client.template.changes({ composeId: service.id }) : null;
    if (changes === null) {
      const answer = { service: nameOf(service), isNewest: true };
      context.answer(answer, () => `There is no newer template for ${nameOf(service)}.\n`);
      return exitCodes.done;
    }
    show(context, changes, given[0]);
    const edits = changes.isEdited ? (given[0] ?? (await askedEdits(context, changes))) : given[0];
    await confirm(context.terminal, `${nameOf(service)} is ${verbs[edits ?? 'replace']}.`, context.is('yes'));
    await client.template.apply({
      composeId: service.id,
      revision: changes.revision,
      ...(edits === undefined ? {} : { edits }),
      variables: Object.fromEntries(assignmentsOf(context.texts('set'))),
    });
    if (edits === 'keep') {
      const answer = { service: nameOf(service), kept: true };
      context.answer(answer, () => `${nameOf(service)} stays as it is.\n`);
      return exitCodes.done;
    }
    await client.compose.deploy({ composeId: service.id, title: `Newer template ${changes.title}` });
    const latest = await client.deployment.latest({ composeId: service.id });
    return followDeployment(context, service, latest?.deploymentId);
  },
};

const verbs = {
  merge: 'changed, with its edits, and deployed',
  replace: 'changed to the file of the template and deployed',
  keep: 'left as it is; this version is not offered again',
} as const;

function show(context: Context, changes: Changes, edits: string | undefined): void {
  const { images, variables, files, notes, isEdited, conflicts, difference, replacement } = changes;
  for (const image of images) context.say(imageWords(image));
  for (const { name, change, isRequired } of variables)
    context.say(
      change === 'removed'
        ? `The template no longer has the variable ${name}; it stays.`
        : `The variable ${name} is new${isRequired ? '; give it with --set' : ''}.`,
    );
  for (const { path, change } of files)
    context.say(change === 'kept' ? `${path} was edited here, so it stays.` : `${path} is ${change}.`);
  for (const note of notes) context.say(note, 'yellow');
  if (!isEdited && edits === undefined) return;
  if (conflicts.length > 0)
    context.say(`Edits and template changed the same lines in ${conflicts.length} places.`, 'yellow');
  for (const line of (edits === 'replace' ? replacement : difference).split('\n')) context.say(line);
}

/** Asks a person; without one an option has to say it. */
async function askedEdits({ terminal }: Context, { conflicts }: Changes): Promise<(typeof choices)[number]> {
  const words = 'The compose file was edited since it came from the template.';
  if (!isPersonThere(terminal)) throw new UsageError(`${words} Give --merge, --replace or --keep.`);
  const usual = conflicts.length > 0 ? 'keep' : 'merge';
  const answer = await ask(terminal, `${words} Merge, replace or keep?`, usual);
  const found = choices.find((choice) => choice === answer.toLowerCase());
  if (found === undefined) throw new UsageError('Nothing was done: answer merge, replace or keep.');
  return found;
}

const imageWords = ({ service, from, to }: Changes['images'][number]): string =>
  from === null
    ? `${service}: ${to ?? 'built'} (new)`
    : to === null
      ? `${service}: no longer in the template`
      : `${service}: ${from} → ${to}`;

export const templateUpdateWords: readonly Word[] = [list, update];
