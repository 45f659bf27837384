/** Servers as nodes of another one's cluster. */
import type { Client } from '../../../client/client.ts';
import { UsageError } from '../../usage-error.ts';
import { itemsOf, type Context } from '../parts/context.ts';
import { serverNamed } from '../parts/servers.ts';
import type { ProcedureName, Word } from '../parts/word.ts';

async function named(context: Context, client: Client): Promise<string> {
  const [name] = context.args;
  if (name === undefined) throw new UsageError('Name a server; `berth servers` lists them.');
  return serverNamed(client, name);
}

const nodes: Word = {
  name: 'cluster nodes',
  usage: 'SERVER',
  summary: 'lists the nodes of a cluster, by its server or one of its nodes',
  most: 1,
  calls: ['server.all', 'cluster.nodes'],
  async run(context) {
    const { client } = await context.berth();
    const found = itemsOf(await client.cluster.nodes({ serverId: await named(context, client) }));
    context.list(
      [
        { title: 'node', value: (row) => (row.isHead ? `${row.name} (head)` : row.name) },
        { title: 'state', value: (row) => row.state },
        { title: 'role', value: (row) => (row.isLeader ? 'leader' : row.role) },
        { title: 'availability', value: (row) => row.availability },
        { title: 'tasks', value: (row) => row.tasks, right: true },
        { title: 'address', value: (row) => row.address, spare: 1 },
      ],
      found,
      'The cluster has no nodes.',
    );
  },
};

const join: Word = {
  name: 'cluster join',
  usage: 'SERVER --to SERVER',
  summary: "makes a server a node of another server's cluster",
  description:
    'The first server gives up its own swarm, so it must have no services; services of the second one ' +
    'are spread over both from their next release.',
  options: {
    to: { value: 'SERVER', description: 'name or id of the server whose cluster it joins' },
    manager: { description: 'as a manager; three managers survive the loss of one' },
  },
  most: 1,
  calls: ['server.all', 'cluster.join'],
  async run(context) {
    const to = context.text('to');
    if (to === undefined) throw new UsageError('Name the cluster: `berth cluster join fsn-2 --to fsn-1`.');
    const { client } = await context.berth();
    const { name, role } = await client.cluster.join({
      nodeServerId: await named(context, client),
      serverId: await serverNamed(client, to),
      role: context.is('manager') ? 'manager' : 'worker',
    });
    context.say(`${name} is a node of the cluster of ${to}, as a ${role}.`);
  },
};

type Change = 'drain' | 'activate' | 'promote' | 'demote' | 'leave' | 'remove';

const changes: readonly { name: Change; summary: string; done: string }[] = [
  { name: 'drain', summary: 'moves what runs on a node to the others', done: 'no longer runs anything' },
  { name: 'activate', summary: 'makes a drained node take tasks again', done: 'takes tasks again' },
  { name: 'promote', summary: 'makes a node a manager', done: 'is a manager' },
  { name: 'demote', summary: 'makes a manager a worker', done: 'is a worker' },
  { name: 'leave', summary: 'drains a node and gives it a swarm of its own', done: 'left its cluster' },
  { name: 'remove', summary: 'takes a lost node out of its cluster', done: 'is no longer a node' },
];

const changing = ({ name, summary, done }: (typeof changes)[number]): Word => {
  const procedure = `cluster.${name}` satisfies ProcedureName;
  return {
    name: `cluster ${name}`,
    usage: 'SERVER',
    summary,
    most: 1,
    calls: ['server.all', procedure],
    async run(context) {
      const { client } = await context.berth();
      const changed = await client.cluster[name]({ nodeServerId: await named(context, client) });
      context.say(`${changed.name} ${done}.`);
    },
  };
};

export const clusterWords: readonly Word[] = [nodes, join, ...changes.map(changing)];
