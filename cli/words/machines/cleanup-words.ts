/** What stands on machines that no record of the installation names, or that another Berth made. */
import type { Client } from '../../../client/client.ts';
import { ago } from '../../look.ts';
import { confirm } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import { itemsOf, type Context } from '../parts/context.ts';
import { serverNamed } from '../parts/servers.ts';
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

export const cleanupWords: readonly Word[] = [unknown, unfinished, remove, others, giveUp];
