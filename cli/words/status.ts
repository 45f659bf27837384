/** `berth status`, `ps`, `history`: what there is and how it is. */
import type { Client } from '../../client/client.ts';
import { ago, duration, statusLook } from '../look.ts';
import type { Column } from '../output/table.ts';
import { UsageError } from '../usage-error.ts';
import { itemsOf, type Context } from './parts/context.ts';
import { statusColumn, summaryOf } from './parts/rows.ts';
import { allServices, isDatabase, nameOf, serviceOf, type Service } from './parts/services.ts';
import type { Word } from './parts/word.ts';

interface StatusRow {
  service: Service;
  status: string;
  note: string;
  at: string | undefined;
}

/** What needs attention stands first. */
const order = ['error', 'running', 'queued', 'idle', 'done'];

const status: Word = {
  name: 'status',
  usage: '[project[/environment]]',
  summary: 'lists all services, those that need attention first',
  description:
    'Lists the services with how their last action ended; those whose deployment failed first, with the ' +
    'reason, then those under way.',
  most: 1,
  calls: ['project.all', 'deployment.latest'],
  async run(context) {
    const { client } = await context.berth();
    const [scope] = context.args;
    const services = (await allServices(client)).filter((service) => isIn(service, scope));
    if (scope !== undefined && services.length === 0) await refuseUnknownProject(client, scope);
    const rows = await Promise.all(services.map((service) => rowOf(client, service)));
    rows.sort((one, other) => order.indexOf(one.status) - order.indexOf(other.status));
    const failed = rows.filter((row) => row.status === 'error').length;
    context.list(
      columnsOf(context),
      rows,
      'There is no service yet. `berth deploy` in a folder creates the first one.',
      rows.map(({ service, note, at }) => ({ ...summaryOf(service), note, at: at ?? null })),
    );
    if (!context.isJson && rows.length > 0)
      context.terminal.out(
        failed === 0
          ? '\nNothing needs attention.\n'
          : `\n${failed} of ${rows.length} ${failed === 1 ? 'needs' : 'need'} attention.\n`,
      );
  },
};

function columnsOf(context: Context): Column<StatusRow>[] {
  return [
    { title: 'service', value: ({ service }) => nameOf(service) },
    { title: 'kind', value: ({ service }) => service.kind, spare: 2 },
    statusColumn(context),
    { title: 'since', value: ({ at }) => ago(at, context.terminal.now()), spare: 1 },
    { title: 'note', value: ({ note }) => note },
  ];
}

/** Of one that failed or is under way also why, where, and since when. */
async function rowOf(client: Client, service: Service): Promise<StatusRow> {
  const row: StatusRow = { service, status: service.status, note: '', at: undefined };
  if (service.status === 'idle') return { ...row, note: 'not running' };
  if (service.status === 'done') return row;
  const latest = await client.deployment.latest(ownerOf(service));
  if (!latest) return row;
  if (service.status === 'running')
    return {
      ...row,
      note: `${latest.title}: ${latest.stage ?? 'queued'}`,
      at: latest.startedAt ?? undefined,
    };
  return { ...row, note: latest.errorMessage ?? latest.title, at: latest.finishedAt ?? undefined };
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
        { title: 'status', value: (row) => row.status },
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
