/**
 * Containers and swarm. Without an engine: access, input and that it cannot be reached; with one: what it
 * shows.
 */
import { any, type Rows } from '../row.ts';

const container = {
  containerId: any.text,
  name: any.text,
  image: any.text,
  ports: any.text,
  state: any.text,
  status: any.text,
  serverId: any.textOrNull,
  labels: any.object,
};
const app = { appName: '<appName>' };
const lookUps = [
  ['getContainersByAppNameMatch', app],
  ['getContainersByAppLabel', { ...app, type: 'swarm' }],
  ['getStackContainersByAppName', app],
  ['getServiceContainersByAppName', app],
] as const;

export const containerRows: Rows = [
  { call: 'container.getContainers', needs: 'engine', installation: true, gives: any.listOf(container) },
  ...lookUps.map(([name, input]): Rows[number] => ({
    call: `container.${name}`,
    needs: 'engine',
    input,
    gives: [],
  })),
  ...lookUps.map(([name, input]): Rows[number] => ({
    rule: 'container names have their pattern',
    call: `container.${name}`,
    input: { ...input, appName: 'no good; name' },
    refused: 'BAD_REQUEST',
    field: 'appName',
  })),
  {
    rule: 'container names have their pattern',
    call: 'container.restartContainer',
    input: { containerId: '$(reboot)' },
    refused: 'BAD_REQUEST',
    field: 'containerId',
  },
  {
    rule: 'container names have their pattern',
    call: 'container.getConfig',
    input: { containerId: 'a/b' },
    refused: 'BAD_REQUEST',
    field: 'containerId',
  },
  {
    call: 'container.getConfig',
    needs: 'engine',
    installation: true,
    before: [{ call: 'container.getContainers', keep: { first: '0.containerId' } }],
    input: { containerId: '<first>' },
    gives: any.object,
  },
  {
    call: 'container.logs',
    needs: 'engine',
    installation: true,
    before: [{ call: 'container.getContainers', keep: { first: '0.containerId' } }],
    input: { containerId: '<first>', tail: 1 },
    gives: { lines: any.list, lastEventId: any.textOrNull },
  },
  {
    rule: 'container names have their pattern',
    call: 'container.logs',
    input: { containerId: 'a/b' },
    refused: 'BAD_REQUEST',
    field: 'containerId',
  },
  {
    rule: "the platform's own container is not restarted",
    call: 'container.restartContainer',
    needs: 'engine',
    installation: true,
    before: [
      {
        call: 'container.getContainersByAppNameMatch',
        input: { appName: 'berth-proxy' },
        keep: { proxy: '0.containerId' },
      },
    ],
    input: { containerId: '<proxy>' },
    refused: 'PRECONDITION_FAILED',
  },
  {
    call: 'container.restartContainer',
    needs: 'engine',
    input: { containerId: 'nothing-of-this-name' },
    refused: 'NOT_FOUND',
  },
  {
    rule: 'a member creates and deletes with the grant only',
    call: 'container.getContainers',
    as: 'member',
    refused: 'FORBIDDEN',
    says: 'canAccessToContainers',
  },
  {
    rule: 'an id nested in a body is checked likewise',
    call: 'container.getContainers',
    input: { serverId: '<foreign.serverId>' },
    refused: 'FORBIDDEN',
  },
];

const node = {
  id: any.text,
  hostname: any.text,
  role: any.matching(/^(manager|worker)$/),
  availability: any.text,
  state: any.text,
  version: any.text,
  resources: { cpus: any.number, memoryBytes: any.number },
  labels: any.object,
  platform: { os: any.text, architecture: any.text },
};

export const swarmRows: Rows = [
  { call: 'swarm.getNodes', needs: 'engine', gives: any.listOf(node) },
  {
    call: 'swarm.getNodeInfo',
    needs: 'engine',
    before: [{ call: 'swarm.getNodes', keep: { node: '0.id' } }],
    input: { nodeId: '<node>' },
    gives: any.object,
  },
  {
    rule: 'Node not found',
    call: 'swarm.getNodeInfo',
    needs: 'engine',
    input: { nodeId: 'nothing-has-this-id' },
    flat: 'Node not found',
  },
  {
    call: 'swarm.getNodeApps',
    needs: 'engine',
    installation: true,
    gives: any.listOf({ id: any.text, name: any.text, replicas: any.object }),
  },
  { rule: 'Unauthorized', call: 'swarm.getNodes', as: 'granted', flat: 'Unauthorized' },
  {
    rule: 'Unauthorized',
    call: 'swarm.getNodes',
    input: { serverId: '<foreign.serverId>' },
    flat: 'Unauthorized',
  },
  {
    rule: 'Unauthorized',
    call: 'swarm.getNodeInfo',
    as: 'member',
    input: { nodeId: 'x' },
    flat: 'Unauthorized',
  },
  { rule: 'Unauthorized', call: 'swarm.getNodeApps', as: 'narrowed', flat: 'Unauthorized' },
];
