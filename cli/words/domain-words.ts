/** `berth domains` and `berth open`. */
import { programArgv, theirWord } from '../program-argv.ts';
import type { Client } from '../../client/client.ts';
import { exitCodes } from '../exit-codes.ts';
import { sentence } from '../output/wrap.ts';
import { UsageError } from '../usage-error.ts';
import { itemsOf, type Context } from './parts/context.ts';
import { addressOf, urlOf } from './parts/follow-deployment.ts';
import { isDatabase, nameOf, serviceOf, type Service } from './parts/services.ts';
import { recordsWord } from './domain-records.ts';
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
  calls: ['project.all', 'domain.byApplicationId', 'domain.byComposeId'],
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
      ],
      domains,
      `${nameOf(service)} has no address yet. \`berth domains add HOST\` gives it one.`,
    );
  },
};

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
    const port = context.text('port') === undefined ? undefined : numberOf(context, 'port', 3000);
    const how = {
      host,
      ...(port === undefined ? {} : { port }),
      ...(path === undefined ? {} : { path }),
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
        ? `${domain} points to the server (${addresses}).`
        : (verdict.error ?? `It leads to ${addresses || 'nowhere'}.`);
      const whole = said.startsWith(domain) ? said : `${domain}: ${said}`;
      return `${sentence(whole, context.terminal)}\n`;
    });
    return verdict.isValid ? exitCodes.done : exitCodes.refused;
  },
};

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

export const domainWords: readonly Word[] = [list, add, check, recordsWord];
export const openWord = open;
