/** `berth domains` and `berth open`. */
import { programArgv, theirWord } from '../program-argv.ts';
import type { Client } from '../../client/client.ts';
import { exitCodes } from '../exit-codes.ts';
import { confirm } from '../terminal.ts';
import { sentence } from '../output/wrap.ts';
import { UsageError } from '../usage-error.ts';
import { itemsOf, type Context } from './parts/context.ts';
import { addressOf, urlOf } from './parts/follow-deployment.ts';
import { serverNamed } from './parts/servers.ts';
import { isDatabase, nameOf, serviceOf, type Service } from './parts/services.ts';
import { numberOf } from './status.ts';
import type { Word } from './parts/word.ts';

async function routedOf(context: Context, name: string | undefined): Promise<Service> {
  const service = await serviceOf(context, name);
  if (isDatabase(service)) throw new UsageError(`${nameOf(service)} is a database; it has no domains.`);
  return service;
}

const list: Word = {
  name: 'domains',
  usage: '[service]',
  summary: 'lists the addresses of a service',
  most: 1,
  calls: ['project.all', 'domain.byApplicationId', 'domain.byComposeId', 'domain.one'],
  async run(context) {
    const { client } = await context.berth();
    const service = await routedOf(context, context.args[0]);
    const domains = itemsOf(
      service.kind === 'compose'
        ? await client.domain.byComposeId({ composeId: service.id })
        : await client.domain.byApplicationId({ applicationId: service.id }),
    );
    context.list(
      [
        { title: 'address', value: urlOf },
        { title: 'port', value: (row) => row.port, right: true },
        { title: 'certificate', value: (row) => (row.https ? row.certificateType : ''), spare: 1 },
        { title: 'of', value: (row) => row.serviceName ?? '', spare: 2 },
        { title: 'allowed by', value: (row) => hostOf(domains, row.onDemandOf), spare: 3 },
      ],
      domains,
      `${nameOf(service)} has no address yet. \`berth domains add HOST\` gives it one.`,
    );
    if (!context.isJson) await sayRefused(context, client, domains);
  },
};

/** Names of customers that were not allowed lately, each with the reason. */
async function sayRefused(
  context: Context,
  client: Client,
  domains: readonly { domainId: string; allowOnDemand: string | null }[],
): Promise<void> {
  for (const { domainId, allowOnDemand } of domains) {
    if (allowOnDemand === null) continue;
    const { refusedNames } = await client.domain.one({ domainId });
    for (const { host, reason, at } of refusedNames)
      context.say(`${host} was not allowed: ${reason}, at ${at}.`);
  }
}

/** A name of a customer stands below the domain whose service allowed it. */
const hostOf = (domains: readonly { domainId: string; host: string }[], domainId: string | null): string =>
  domains.find((domain) => domain.domainId === domainId)?.host ?? '';

const add: Word = {
  name: 'domains add',
  usage: 'HOST [service]',
  summary: 'routes a host to a service, with a certificate from an authority',
  description:
    'Routes the host to the service at once. Its certificate is issued automatically once the DNS points ' +
    'to the server, which `berth domains check` shows; --http routes it without one.',
  options: {
    port: {
      short: 'p',
      value: 'PORT',
      description: 'port of the service; default: the one its image exposes, or 3000; 80 for a static site',
    },
    path: { value: 'PATH', description: 'only paths that begin with this' },
    http: { description: 'without a certificate' },
    'allow-on-demand': {
      value: 'PATH',
      description: 'serves host names of customers too, for which this path of the service says yes',
    },
    'compose-service': {
      value: 'NAME',
      description: 'for a compose service: the service in its file; by default the only one that answers',
    },
  },
  most: 2,
  calls: ['project.all', 'compose.one', 'domain.create'],
  async run(context) {
    const { client } = await context.berth();
    const [host, name] = context.args;
    if (host === undefined) throw new UsageError('Which host? Usage: berth domains add HOST [service]');
    const service = await routedOf(context, name);
    const path = context.text('path');
    const allowOnDemand = context.text('allow-on-demand');
    const port = context.text('port') === undefined ? undefined : numberOf(context, 'port', 3000);
    const how = {
      host,
      ...(port === undefined ? {} : { port }),
      ...(path === undefined ? {} : { path }),
      ...(allowOnDemand === undefined ? {} : { allowOnDemand }),
      ...(context.is('http') ? { https: false } : { https: true, certificateType: 'acme' as const }),
    };
    const domain = await client.domain.create(
      service.kind === 'compose'
        ? {
            ...(await frontOf(context, client, service.id)),
            ...how,
            domainType: 'compose',
            composeId: service.id,
          }
        : { ...how, applicationId: service.id },
    );
    context.answer(domain, () => `${urlOf(domain)} leads to ${nameOf(service)}.\n`);
  },
};

/** The service of the compose file that is named, else the one that people open. */
async function frontOf(
  context: Context,
  client: Client,
  composeId: string,
): Promise<{ serviceName: string; port?: number }> {
  const given = context.text('compose-service');
  if (given !== undefined) return { serviceName: given };
  const { composeFile } = await client.compose.one({ composeId });
  const { composeAddress, composeServices } = await import('../folder/compose-address.ts');
  const found = composeAddress(composeFile ?? '');
  if (found)
    return { serviceName: found.serviceName, ...(found.port === undefined ? {} : { port: found.port }) };
  const services = composeServices(composeFile ?? '').join(', ');
  throw new UsageError(
    `Which service of the compose file? Give --compose-service${services && `: ${services}`}.`,
  );
}

const check: Word = {
  name: 'domains check',
  usage: 'HOST',
  summary: 'checks that the DNS of a host points to the server; exit code 1 if not',
  most: 1,
  calls: ['domain.validateDomain'],
  async run(context) {
    const { client } = await context.berth();
    const [domain] = context.args;
    if (domain === undefined) throw new UsageError('Which host? Usage: berth domains check HOST');
    const verdict = await client.domain.validateDomain({ domain });
    context.answer(verdict, () => {
      const addresses = verdict.resolvedIps.join(', ');
      const said = verdict.isValid
        ? `${domain} points to the server (${addresses}). ${verdict.hint ?? ''}`.trim()
        : (verdict.error ?? `It leads to ${addresses || 'nowhere'}.`);
      const whole = said.startsWith(domain) ? said : `${domain}: ${said}`;
      return `${sentence(whole, context.terminal)}\n`;
    });
    return verdict.isValid ? exitCodes.done : exitCodes.refused;
  },
};

type Plan = Awaited<ReturnType<Client['domain']['planRecords']>>;

const records: Word = {
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
  const service = await routedOf(context, name);
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

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

const open: Word = {
  name: 'open',
  usage: '[service]',
  summary: 'opens the address of a service in the browser, or prints it',
  options: { print: { description: 'prints it only, as in a pipe' } },
  most: 1,
  calls: ['project.all', 'application.one', 'compose.one'],
  async run(context) {
    const { client } = await context.berth();
    const service = await routedOf(context, context.args[0]);
    const url = await addressOf(client, service);
    if (url === undefined)
      throw new UsageError(`${nameOf(service)} has no address. \`berth domains add HOST\` gives it one.`);
    context.answer({ url }, () => `${url}\n`);
    if (!context.terminal.isTerminal || context.isJson || context.is('print')) return exitCodes.done;
    const [opener = 'xdg-open', ...words] = openers[process.platform] ?? [];
    return context.terminal.runProgram(programArgv(opener, ...words, theirWord(url)));
  },
};

export const domainWords: readonly Word[] = [list, add, check, records];
export const openWord = open;
