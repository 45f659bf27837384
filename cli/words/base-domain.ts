/** `berth base-domain`: below which domain services get their names. */
import type { Client } from '../../client/client.ts';
import { isPublicBase, wildcardRecord } from '../../server/src/domain/routing/base-domain.ts';
import { exitCodes } from '../exit-codes.ts';
import { capitalized, sentence } from '../output/wrap.ts';
import { UsageError } from '../usage-error.ts';
import { itemsOf, type Context } from './parts/context.ts';
import { serverNamed } from './parts/servers.ts';
import type { Word } from './parts/word.ts';

/** What has a base domain. */
interface Holder {
  /** As the sentences name it. */
  what: string;
  baseDomain: string | null;
  set(baseDomain: string | null): Promise<string | null>;
  /** Where names below it are to lead. */
  of: { projectId: string } | { serverId: string | null };
}

async function holderOf(context: Context, client: Client): Promise<Holder> {
  const [project, server] = [context.text('project'), context.text('server')];
  if (project !== undefined && server !== undefined)
    throw new UsageError('--project and --server exclude each other; give one.');
  if (project !== undefined) return ofProject(client, project);
  if (server !== undefined) return ofServer(client, server);
  const { baseDomain } = await client.settings.get();
  return {
    what: 'the installation',
    baseDomain,
    set: async (wanted) => (await client.settings.update({ baseDomain: wanted })).baseDomain,
    of: { serverId: null },
  };
}

async function ofServer(client: Client, name: string): Promise<Holder> {
  const serverId = await serverNamed(client, name);
  const { baseDomain } = await client.server.one({ serverId });
  return {
    what: `the server ${name}`,
    baseDomain,
    set: async (wanted) => (await client.server.update({ serverId, baseDomain: wanted })).baseDomain,
    of: { serverId },
  };
}

async function ofProject(client: Client, wantedName: string): Promise<Holder> {
  const projects = itemsOf(await client.project.all());
  const found = projects.filter(({ projectId, name }) => projectId === wantedName || name === wantedName);
  const [first] = found;
  const known = projects.map(({ name }) => name).join(', ');
  if (!first || found.length > 1)
    throw new UsageError(
      first
        ? `${found.length} projects are called ${wantedName}; give the id of one.`
        : `There is no project ${wantedName}. There are: ${known || 'none'}.`,
    );
  const { projectId, baseDomain } = first;
  return {
    what: `the project ${first.name}`,
    baseDomain,
    set: async (wanted) => (await client.project.update({ projectId, baseDomain: wanted })).baseDomain,
    of: { projectId },
  };
}

/** The record of `*.base` for each machine, and whether it is there. */
async function recordsOf(client: Client, base: string, of: Holder['of']) {
  const { machines, resolvedIps, error, hint } = await client.domain.validateDomain({
    domain: `*.${base}`,
    ...of,
  });
  return machines.flatMap(({ address, isLed }) =>
    address === null
      ? []
      : [
          {
            record: wildcardRecord(base, address),
            isThere: isLed,
            resolvedIps,
            error: error ?? null,
            ...(isLed && hint !== undefined ? { hint } : {}),
          },
        ],
  );
}

export const baseDomainWord: Word = {
  name: 'base-domain',
  usage: '[DOMAIN]',
  summary: 'shows or sets the domain below which services get their names',
  description:
    'Services and previews that need an address are named below the base domain of their project, else of ' +
    "their server, else of the installation (on Berth's own machine). Without --project and --server it is " +
    "the installation's. Shows the DNS record that it needs and whether that is there; exit code 1 if not.",
  options: {
    project: { value: 'NAME', description: 'that of a project' },
    server: { value: 'NAME', description: 'that of a server' },
    none: { description: 'takes it away; names that are there stay' },
  },
  most: 1,
  calls: [
    'settings.get',
    'settings.update',
    'project.all',
    'project.update',
    'server.all',
    'server.one',
    'server.update',
    'domain.validateDomain',
  ],
  async run(context) {
    const [wanted] = context.args;
    if (wanted !== undefined && context.is('none'))
      throw new UsageError('--none takes the base domain away; give no DOMAIN with it.');
    const { client } = await context.berth();
    const holder = await holderOf(context, client);
    const isChange = wanted !== undefined || context.is('none');
    const base = isChange ? await holder.set(wanted ?? null) : holder.baseDomain;
    if (base === null) {
      context.answer(
        { baseDomain: null, records: [] },
        () => `${capitalized(holder.what)} has no base domain.\n`,
      );
      return exitCodes.done;
    }
    const records = isPublicBase(base) ? await recordsOf(client, base, holder.of) : [];
    const isThere = records.length === 0 || records.some((one) => one.isThere);
    context.answer({ baseDomain: base, records }, () =>
      [
        `Services of ${holder.what} are named below ${base}.`,
        ...records.map(
          (one) =>
            `DNS record: ${one.record}\n` +
            sentence(
              one.isThere
                ? `It is there (${one.resolvedIps.join(', ')}). ${one.hint ?? ''}`.trim()
                : (one.error ?? 'It is not there.'),
              context.terminal,
            ),
        ),
        '',
      ].join('\n'),
    );
    return isThere ? exitCodes.done : exitCodes.refused;
  },
};
