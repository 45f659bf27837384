/** `berth domains records`: the DNS records of a host, set at the DNS provider that serves its zone. */
import type { Client } from '../../client/client.ts';
import { exitCodes } from '../exit-codes.ts';
import { confirm } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { itemsOf, type Context } from './parts/context.ts';
import { serverNamed } from './parts/servers.ts';
import { isDatabase, nameOf, serviceOf } from './parts/services.ts';
import type { Word } from './parts/word.ts';

type Plan = Awaited<ReturnType<Client['domain']['planRecords']>>;

export const recordsWord: Word = {
  name: 'domains records',
  usage: '[HOST] [service]',
  summary: 'sets the DNS records of a host at your DNS provider',
  description:
    'Shows which records would be made, changed and removed at the DNS provider of the organization that ' +
    'serves the zone, asks, and sets them. Records that Berth did not make are never changed. With --base ' +
    'it is the wildcard of a base domain, which may be saved afterwards. Exit code 1 while records of ' +
    'others are in the way.',
  options: {
    base: { value: 'DOMAIN', description: 'the wildcard of a base domain in place of a host' },
    server: { value: 'NAME', description: "with --base: the server that it leads to; default: Berth's own" },
    remove: { description: 'removes the records that Berth has set' },
    plan: { description: 'shows the plan alone' },
    yes: { description: 'does not ask' },
  },
  most: 2,
  calls: [
    'project.all',
    'server.all',
    'domain.byApplicationId',
    'domain.byComposeId',
    'domain.planRecords',
    'domain.applyRecords',
  ],
  async run(context) {
    const { client } = await context.berth();
    const wanted = { ...(await nameMeant(context, client)), remove: context.is('remove') };
    const plan = await client.domain.planRecords(wanted);
    const isDone = plan.foreign.length > 0 || plan.changes.length === 0;
    if (context.is('plan') || isDone) {
      context.answer(plan, () => shownPlan(plan));
      return plan.foreign.length > 0 ? exitCodes.refused : exitCodes.done;
    }
    if (!context.isJson) context.terminal.say(shownPlan(plan));
    await confirm(context.terminal, 'This is what will be done.', context.is('yes'));
    const done = await client.domain.applyRecords({ ...wanted, digest: plan.digest });
    context.answer(done, () => `The records of ${done.name} are set.\n`);
    return exitCodes.done;
  },
};

async function nameMeant(
  context: Context,
  client: Client,
): Promise<{ domainId: string } | { baseDomain: string; serverId?: string }> {
  const [host, name] = context.args;
  const [baseDomain, server] = [context.text('base'), context.text('server')];
  if (baseDomain !== undefined) {
    if (host !== undefined) throw new UsageError('--base names the base domain; give no HOST with it.');
    return { baseDomain, ...(server === undefined ? {} : { serverId: await serverNamed(client, server) }) };
  }
  if (host === undefined || server !== undefined)
    throw new UsageError('Which host? Usage: berth domains records HOST [service], or --base DOMAIN');
  const service = await serviceOf(context, name);
  if (isDatabase(service)) throw new UsageError(`${nameOf(service)} is a database; it has no domains.`);
  const domains = itemsOf(
    service.kind === 'compose'
      ? await client.domain.byComposeId({ composeId: service.id })
      : await client.domain.byApplicationId({ applicationId: service.id }),
  );
  const found = domains.find((domain) => domain.host === host);
  if (found) return { domainId: found.domainId };
  const hosts = domains.map((domain) => domain.host).join(', ');
  throw new UsageError(
    `${nameOf(service)} has no domain ${host}. ` +
      (hosts === '' ? '`berth domains add HOST` gives it one.' : `It has: ${hosts}.`),
  );
}

function shownPlan({ name, zone, dnsProvider, changes, right, foreign, unfinished }: Plan): string {
  const line = (sign: string, record: { name: string; type: string; value: string }): string =>
    `  ${sign} ${record.name} ${record.type} ${record.type === 'TXT' ? `"${record.value}"` : record.value}`;
  return [
    `${name} in the zone ${zone} of ${dnsProvider}:`,
    ...changes.map((each) => line(each.action === 'create' ? '+' : '-', each)),
    ...right.map((each) => `${line('=', each)} (right already${each.isOwn ? '' : ', not made by Berth'})`),
    ...foreign.flatMap((each) => [`${line('!', each)} (not made by Berth)`, `    ${each.hint}`]),
    ...(changes.length + right.length + foreign.length === 0 ? ['  Nothing to change.'] : []),
    ...(unfinished === null ? [] : [`  The last change is not finished: ${unfinished}`]),
    '',
  ].join('\n');
}
