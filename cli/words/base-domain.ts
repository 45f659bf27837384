/** `berth base-domain`: below which domain services get their names. */
import { isIP } from 'node:net';
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
  /** Where names below it are to lead, each looked up; undefined: to Berth's own machine. */
  machines(): Promise<(string | undefined)[]>;
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
    machines: async () => [undefined],
  };
}

async function ofServer(client: Client, name: string): Promise<Holder> {
  const serverId = await serverNamed(client, name);
  const { baseDomain, ipAddress } = await client.server.one({ serverId });
  return {
    what: `the server ${name}`,
    baseDomain,
    set: async (wanted) => (await client.server.update({ serverId, baseDomain: wanted })).baseDomain,
    machines: async () => [ipAddress],
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
    async machines() {
      const services = itemsOf(await client.service.all({ projectId }));
      const ids = new Set(
        services.flatMap(({ kind, serverId }) =>
          kind === 'application' || kind === 'compose' ? [serverId] : [],
        ),
      );
      if (ids.size === 0 || (ids.size === 1 && ids.has(null))) return [undefined];
      const servers = itemsOf(await client.server.all());
      return [...ids].map((id) => servers.find(({ serverId }) => serverId === id)?.ipAddress);
    },
  };
}

/** The record of `*.base`, and whether it is there. */
async function recordsOf(client: Client, base: string, machines: readonly (string | undefined)[]) {
  return Promise.all(
    machines.map(async (machine) => {
      const serverIp = await addressOf(client, machine);
      const { isValid, resolvedIps, expectedIp, error } = await client.domain.validateDomain({
        domain: `*.${base}`,
        ...(serverIp === undefined ? {} : { serverIp }),
      });
      return {
        record: wildcardRecord(base, expectedIp),
        isThere: isValid,
        resolvedIps,
        error: error ?? null,
      };
    }),
  );
}

/** Of a server that is known by its name: what the name leads to. */
async function addressOf(client: Client, machine: string | undefined): Promise<string | undefined> {
  if (machine === undefined || isIP(machine) !== 0) return machine;
  const { resolvedIps } = await client.domain.validateDomain({ domain: machine, serverIp: '0.0.0.0' });
  return resolvedIps[0];
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
    'service.all',
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
    const records = isPublicBase(base) ? await recordsOf(client, base, await holder.machines()) : [];
    const isThere = records.length === 0 || records.some((one) => one.isThere);
    context.answer({ baseDomain: base, records }, () =>
      [
        `Services of ${holder.what} are named below ${base}.`,
        ...records.map(
          (one) =>
            `DNS record: ${one.record}\n` +
            sentence(
              one.isThere
                ? `It is there (${one.resolvedIps.join(', ')}).`
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
