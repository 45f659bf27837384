/** `berth status`, `ps`, `history`: what there is and how it is. */
import type { Client } from '../../client/client.ts';
import { ago, duration, sinceAsAge, statusLook } from '../look.ts';
import type { Column } from '../output/table.ts';
import { UsageError } from '../usage-error.ts';
import { itemsOf, type Context } from './parts/context.ts';
import { statusColumn, summaryOf } from './parts/rows.ts';
import { allServices, isDatabase, nameOf, serviceOf, type Service } from './parts/services.ts';
import type { Word } from './parts/word.ts';

interface StatusRow {
  service: Service;
  /** Of a service that was removed, or made, while its list was read. */
  seen: Seen | undefined;
}

type Seen = Extract<Awaited<ReturnType<Client['service']['all']>>, readonly unknown[]>[number];

/** What needs attention stands first. */
const order = ['down', 'degraded', 'unreachable', 'starting', 'up', 'stopped', 'never deployed'];

const status: Word = {
  name: 'status',
  usage: '[project[/environment]]',
  summary: 'lists all services, those that need attention first',
  description:
    'Lists the services with the state that their machine reports; first those that are down or degraded, ' +
    'or whose last deployment failed, each with the reason.',
  most: 1,
  calls: ['project.all', 'service.all'],
  async run(context) {
    const { client } = await context.berth();
    const [scope] = context.args;
    const [services, listed] = await Promise.all([allServices(client), client.service.all()]);
    const seen = new Map(itemsOf(listed).map((one) => [one.serviceId, one]));
    const rows = services
      .filter((service) => isIn(service, scope))
      .map((service) => ({ service, seen: seen.get(service.id) }));
    if (scope !== undefined && rows.length === 0) await refuseUnknownProject(client, scope);
    const attention = rows.filter(needsAttention).length;
    rows.sort(
      (one, other) =>
        Number(needsAttention(other)) - Number(needsAttention(one)) ||
        order.indexOf(stateOf(one)) - order.indexOf(stateOf(other)),
    );
    context.list(
      columnsOf(context),
      rows,
      'There is no service yet. `berth deploy` in a folder creates the first one.',
      rows.map(jsonOf),
    );
    if (!context.isJson && rows.length > 0)
      context.terminal.out(
        attention === 0
          ? '\nNothing needs attention.\n'
          : `\n${attention} of ${rows.length} ${attention === 1 ? 'needs' : 'need'} attention.\n`,
      );
  },
};

const stateOf = ({ seen }: StatusRow): string => seen?.condition ?? 'never deployed';

function needsAttention({ seen }: StatusRow): boolean {
  return seen !== undefined && (order.indexOf(seen.condition) < order.indexOf('starting') || hasFailed(seen));
}

const hasFailed = ({ status: last }: Seen): boolean => last === 'error';

function columnsOf(context: Context): Column<StatusRow>[] {
  return [
    { title: 'service', value: ({ service }) => nameOf(service) },
    { title: 'kind', value: ({ service }) => service.kind, spare: 2 },
    { title: 'state', value: stateOf, look: statusLook(context.look) },
    { title: 'running', value: runningOf, spare: 3 },
    { title: 'since', value: (row) => ago(sinceOf(row), context.terminal.now()), spare: 1 },
    { title: 'note', value: noteOf },
  ];
}

const runningOf = ({ seen }: StatusRow): string | undefined =>
  seen && seen.desired > 0 ? `${seen.running}/${seen.desired}` : undefined;

/** Since when it is as the note says; without one, since when it runs. */
function sinceOf({ seen }: StatusRow): string | null | undefined {
  if (seen?.status === 'running') return seen.deployment?.createdAt;
  if (seen && seen.reason === null && hasFailed(seen)) return seen.deployment?.finishedAt;
  return seen?.since;
}

function noteOf({ seen }: StatusRow): string | undefined {
  if (!seen) return undefined;
  const { deployment, reason, address } = seen;
  if (seen.status === 'running')
    return deployment === null ? 'deploying' : `${deployment.title}: ${deployment.stage ?? 'queued'}`;
  if (reason !== null) return reason;
  if (hasFailed(seen)) return `last deployment failed: ${deployment?.errorMessage ?? 'its log says why'}`;
  return address ?? undefined;
}

function jsonOf(row: StatusRow): object {
  const { service, seen } = row;
  return {
    ...summaryOf(service),
    condition: stateOf(row),
    running: seen?.running ?? 0,
    desired: seen?.desired ?? 0,
    needsAttention: needsAttention(row),
    note: noteOf(row) ?? '',
    at: sinceOf(row) ?? null,
    address: seen?.address ?? null,
  };
}

function isIn({ project, environment }: Service, scope: string | undefined): boolean {
  return scope === undefined || scope === project.name || scope === `${project.name}/${environment.name}`;
}

async function refuseUnknownProject(client: Client, scope: string): Promise<void> {
  const projects = itemsOf(await client.project.all());
  if (projects.some(({ name }) => name === scope.split('/')[0])) return;
  throw new UsageError(`There is no project ${scope}. \`berth projects\` lists them.`);
}

/** The service as `deployment` procedures name it. */
export function ownerOf(
  service: Service,
): { applicationId: string } | { composeId: string } | { databaseId: string } {
  if (isDatabase(service)) return { databaseId: service.id };
  return service.kind === 'compose' ? { composeId: service.id } : { applicationId: service.id };
}

const ps: Word = {
  name: 'ps',
  usage: '[service]',
  summary: 'lists the containers of a service, or of all services',
  most: 1,
  calls: [
    'project.all',
    'container.getContainers',
    'container.getServiceContainersByAppName',
    'container.getStackContainersByAppName',
  ],
  async run(context) {
    const { client } = await context.berth();
    const name = context.args[0];
    const containers = name === undefined ? await everyContainer(client) : await ownContainers(context, name);
    context.list(
      [
        { title: 'name', value: (row) => row.name },
        { title: 'state', value: (row) => row.state, look: statusLook(context.look) },
        { title: 'status', value: (row) => sinceAsAge(row.status, context.terminal.now()) },
        { title: 'image', value: (row) => row.image, spare: 2 },
        { title: 'id', value: (row) => row.containerId.slice(0, 12), spare: 1 },
      ],
      containers,
      'No container runs.',
    );
  },
};

interface Container {
  containerId: string;
  name: string;
  image: string;
  state: string;
  status: string;
}

async function everyContainer(client: Client): Promise<readonly Container[]> {
  return itemsOf(await client.container.getContainers());
}

async function ownContainers(context: Context, name: string): Promise<readonly Container[]> {
  const { client } = await context.berth();
  const { kind, appName } = await serviceOf(context, name);
  if (kind === 'compose') return itemsOf(await client.container.getStackContainersByAppName({ appName }));
  return itemsOf(await client.container.getServiceContainersByAppName({ appName }));
}

const history: Word = {
  name: 'history',
  usage: '[service]',
  summary: 'lists the deployments of a service, newest first',
  options: { limit: { short: 'n', value: 'NUMBER', description: 'number of deployments; default: 20' } },
  most: 1,
  calls: ['project.all', 'deployment.all'],
  async run(context) {
    const { client } = await context.berth();
    const service = await serviceOf(context, context.args[0]);
    const limit = numberOf(context, 'limit', 20);
    const deployments = itemsOf(await client.deployment.all({ ...ownerOf(service), limit }));
    context.list(
      [
        { title: 'deployment', value: (row) => row.deploymentId },
        statusColumn(context),
        { title: 'when', value: (row) => ago(row.createdAt, context.terminal.now()) },
        { title: 'took', value: tookOf, right: true, spare: 2 },
        { title: 'commit', value: (row) => row.commit?.slice(0, 8), spare: 1 },
        { title: 'what', value: (row) => row.errorMessage ?? row.title },
      ],
      deployments,
      `${nameOf(service)} was never deployed.`,
    );
  },
};

function tookOf({ startedAt, finishedAt }: { startedAt: string | null; finishedAt: string | null }): string {
  return startedAt && finishedAt ? duration(Date.parse(finishedAt) - Date.parse(startedAt)) : '';
}

/** A whole number above 0; throws UsageError for another text. */
export function numberOf(context: Context, option: string, usual: number): number {
  const text = context.text(option);
  if (text === undefined) return usual;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new UsageError(`--${option} is "${text}"; it takes a whole number above 0.`);
  return number;
}

export const statusWords: readonly Word[] = [status, ps, history];
