/** What stands on machines that no record of the installation names, or that another Berth made. */
import type { Client } from '../../../client/client.ts';
import { ago, size } from '../../look.ts';
import { confirm } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import { itemsOf, type Context } from '../parts/context.ts';
import { serverNamed } from '../parts/servers.ts';
import { answerRun, followRun } from '../parts/followed-run.ts';
import { nameOf, serviceOf, type Service } from '../parts/services.ts';
import type { Options, Word } from '../parts/word.ts';

const onServer = {
  server: { value: 'SERVER', description: "name or id of a server; without it Berth's own machine" },
} as const satisfies Options;
const sure = { yes: { short: 'y', description: 'does it without a question' } } as const satisfies Options;

/** Of the server that `--server` names, if it names one. */
async function placeOf(context: Context, client: Client): Promise<{ serverId: string | null }> {
  const server = context.text('server');
  return { serverId: server === undefined ? null : await serverNamed(client, server) };
}

const unknown: Word = {
  name: 'cleanup unknown',
  usage: '',
  summary: 'lists services of this installation that none of its records names',
  description:
    'They are stopped when they are found and removed a day later. What was there before this Berth could ' +
    'know of it (after a restore, on a server that was added later) stays until `berth cleanup remove`.',
  most: 0,
  calls: ['cleanup.unknown', 'server.all'],
  async run(context) {
    const { client } = await context.berth();
    const found = itemsOf(await client.cleanup.unknown());
    const servers = new Map(
      found.length === 0
        ? []
        : itemsOf(await client.server.all()).map(({ serverId, name }) => [serverId, name] as const),
    );
    context.list(
      [
        { title: 'service', value: (row) => row.name },
        { title: 'of', value: (row) => row.owner, spare: 2 },
        {
          title: 'server',
          value: (row) => (row.serverKey === 'local' ? null : (servers.get(row.serverKey) ?? row.serverKey)),
        },
        { title: 'seen', value: (row) => ago(row.seenAt, context.terminal.now()), spare: 1 },
        { title: 'removed', value: (row) => row.removedAt ?? 'by hand' },
      ],
      found,
      'Every service on the machines has its record.',
    );
  },
};

const unfinished: Word = {
  name: 'cleanup unfinished',
  usage: '',
  summary: 'lists deletions whose containers go on; Berth tries them again each minute',
  most: 0,
  calls: ['cleanup.unfinished'],
  async run(context) {
    const { client } = await context.berth();
    const found = itemsOf(await client.cleanup.unfinished());
    context.list(
      [
        { title: 'service', value: (row) => row.name },
        { title: 'since', value: (row) => ago(row.since, context.terminal.now()) },
        { title: 'tries', value: (row) => String(row.tries), spare: 1 },
        { title: 'reason', value: (row) => row.reason },
      ],
      found,
      'Every deletion has ended.',
    );
  },
};

const remove: Word = {
  name: 'cleanup remove',
  usage: 'SERVICE',
  summary: 'removes a service that `berth cleanup unknown` lists; its volumes stay',
  options: { ...onServer, ...sure },
  most: 1,
  calls: ['cleanup.removeUnknown', 'server.all'],
  async run(context) {
    const [name] = context.args;
    if (name === undefined) throw new UsageError('Name a service; `berth cleanup unknown` lists them.');
    const { client } = await context.berth();
    const place = await placeOf(context, client);
    await confirm(context.terminal, `${name} is removed; its volumes stay.`, context.is('yes'));
    await client.cleanup.removeUnknown({ ...place, name });
    context.answer({ name, removed: true }, () => `Removed ${name}.\n`);
  },
};

const others: Word = {
  name: 'cleanup others',
  usage: '',
  summary: 'lists what another installation of Berth made on a machine; it is never touched',
  options: onServer,
  most: 0,
  calls: ['cleanup.others', 'server.all'],
  async run(context) {
    const { client } = await context.berth();
    context.list(
      [
        { title: 'kind', value: (row) => row.kind },
        { title: 'name', value: (row) => row.name },
        { title: 'installation', value: (row) => row.installationId ?? 'none' },
      ],
      itemsOf(await client.cleanup.others(await placeOf(context, client))),
      'Nothing on this machine is of another installation.',
    );
  },
};

const giveUp: Word = {
  name: 'cleanup give-up',
  usage: 'INCARNATION',
  summary: 'ends a former incarnation, so that its servers are those of this Berth',
  description:
    'A restore begins a new incarnation of the installation, and a server that a former one keeps is ' +
    'refused with its name. Stop the former Berth for good first: two on one server undo what the other ' +
    'does.',
  options: sure,
  most: 1,
  calls: ['cleanup.giveUp'],
  async run(context) {
    const [incarnationId] = context.args;
    if (incarnationId === undefined)
      throw new UsageError('Name the incarnation; the refusal of its server says what it is called.');
    const { client } = await context.berth();
    await confirm(
      context.terminal,
      `The Berth of incarnation ${incarnationId} must have ended for good.`,
      context.is('yes'),
    );
    await client.cleanup.giveUp({ incarnationId });
    context.answer({ incarnationId, givenUp: true }, () => `${incarnationId} is given up.\n`);
  },
};

const volumes: Word = {
  name: 'cleanup volumes',
  usage: '',
  summary: 'lists volumes that outlived their service',
  description:
    'A deletion without its volumes keeps them. `berth cleanup use-volume` gives one to another service, ' +
    '`berth cleanup remove-volume` removes one with its data.',
  options: onServer,
  most: 0,
  calls: ['cleanup.keptVolumes', 'server.all'],
  async run(context) {
    const { client } = await context.berth();
    context.list(
      [
        { title: 'volume', value: (row) => row.volumeName },
        { title: 'of', value: (row) => `${row.kind} ${row.serviceId}`, spare: 2 },
        { title: 'size', value: (row) => (row.bytes === null ? '' : size(row.bytes)), right: true },
        {
          title: 'deleted',
          value: (row) => (row.deletedAt === null ? '' : ago(row.deletedAt, context.terminal.now())),
          spare: 1,
        },
      ],
      itemsOf(await client.cleanup.keptVolumes(await placeOf(context, client))),
      'No deleted service has left a volume there.',
    );
  },
};

const removeVolume: Word = {
  name: 'cleanup remove-volume',
  usage: 'VOLUME',
  summary: 'removes a volume that outlived its service, with its data',
  options: { ...onServer, ...sure },
  most: 1,
  calls: ['cleanup.removeKeptVolume', 'server.all'],
  async run(context) {
    const [volumeName] = context.args;
    if (volumeName === undefined) throw new UsageError('Name a volume; `berth cleanup volumes` lists them.');
    const { client } = await context.berth();
    const place = await placeOf(context, client);
    await confirm(context.terminal, `${volumeName} is removed with its data, for good.`, context.is('yes'));
    await client.cleanup.removeKeptVolume({ ...place, volumeName });
    context.answer({ volumeName, removed: true }, () => `Removed ${volumeName}.\n`);
  },
};

/** The application or compose service, as inputs name it. */
function ownerOf(service: Service): { applicationId: string } | { composeId: string } {
  if (service.kind === 'application') return { applicationId: service.id };
  if (service.kind === 'compose') return { composeId: service.id };
  throw new UsageError(`${nameOf(service)} is a database. Its data comes back from a backup or an upgrade.`);
}

const useVolume: Word = {
  name: 'cleanup use-volume',
  usage: 'VOLUME SERVICE',
  summary: 'gives a volume that outlived its service to another service',
  description:
    'The service is released again with it in the place of its present volume, which is kept; what does ' +
    'not become healthy goes back to that. --as names the volume of the service where it has several.',
  options: {
    as: { value: 'NAME', description: 'name of the volume within the service' },
    ...sure,
  },
  most: 2,
  calls: ['project.all', 'volumeBackup.volumes', 'volumeBackup.useKeptVolume', 'backup.runLogs'],
  async run(context) {
    const [keptVolume, name] = context.args;
    if (keptVolume === undefined || name === undefined)
      throw new UsageError('Name a volume, as `berth cleanup volumes` lists it, and a service.');
    const service = await serviceOf(context, name);
    const owner = ownerOf(service);
    const { client } = await context.berth();
    const names = itemsOf(await client.volumeBackup.volumes(owner)).map(({ volumeName }) => volumeName);
    const [only] = names.length === 1 ? names : [];
    const volumeName = context.text('as') ?? only;
    if (volumeName === undefined)
      throw new UsageError(
        names.length === 0
          ? `${nameOf(service)} has no volume. Mount one first (\`berth api mount.create --help\`).`
          : `Say with --as which volume of ${nameOf(service)} it becomes: ${names.join(', ')}.`,
      );
    const what = `the volume ${volumeName} of ${nameOf(service)}`;
    await confirm(context.terminal, `${keptVolume} becomes ${what}.`, context.is('yes'));
    const { backupRunId } = await client.volumeBackup.useKeptVolume({ ...owner, volumeName, keptVolume });
    const { signal } = context.terminal;
    const outcome = await followRun(context, client.backup.runLogs({ backupRunId }, { signal }));
    return answerRun(
      context,
      { service: nameOf(service), volumeName, keptVolume, outcome },
      {
        done: `${keptVolume} is ${what} now.`,
        failed: `${nameOf(service)} has the volume that it had. The lines above say why.`,
      },
    );
  },
};

export const cleanupWords: readonly Word[] = [
  unknown,
  unfinished,
  remove,
  others,
  giveUp,
  volumes,
  useVolume,
  removeVolume,
];
