/** Calls of the engine's API about the swarm: services, tasks, networks, files, nodes. */
import { z } from 'zod';
import * as answers from './answers.ts';
import { configBody, connectBody, networkBody } from './bodies.ts';
import { findContainer } from '../containers.ts';
import { eventStream } from '../events.ts';
import { logQueryOf, serviceLog, taskLogs } from '../logs.ts';
import { addNetwork, connect, disconnect, findNetwork, pruneNetworks, removeNetwork } from '../networks.ts';
import { Refusal, swarmRefusal } from './refusal.ts';
import { passes, type Answers, type Call, type Streams } from './routes.ts';
import { changeService, createService, findService, removeService } from '../services.ts';
import { changed, swarmId, type State } from '../state.ts';

export const version = '20.10.24';

const first = ({ parts: [part = ''] }: Call): string => part;

export const swarmAnswers: Answers = [
  {
    method: 'GET',
    path: '/info',
    answer: ({ state }) => ({
      ServerVersion: version,
      DockerRootDir: '/var/lib/docker',
      CgroupVersion: '2',
      Swarm: { NodeID: state.nodeId, ControlAvailable: true },
    }),
  },
  { method: 'GET', path: '/nodes', answer: ({ state }) => [answers.nodeJson(state, version)] },
  {
    method: 'GET',
    path: '/services',
    answer: ({ state, query, filters }) =>
      [...state.services.values()]
        .filter(({ spec }) => passes(spec.Labels, filters['label']))
        .map((service) => answers.serviceJson(state, service, query['status'] === 'true')),
  },
  {
    method: 'POST',
    path: '/services/create',
    answer: ({ state, body, auth }) => ({ ID: createService(state, body, auth).id }),
  },
  {
    method: 'GET',
    path: '/services/*',
    answer: (call) => answers.serviceJson(call.state, findService(call.state, first(call)), false),
  },
  {
    method: 'POST',
    path: '/services/*/update',
    answer: (call) =>
      changeService(call.state, findService(call.state, first(call)), {
        version: Number(call.query['version']),
        body: call.body,
        auth: call.auth,
        isRollback: call.query['rollback'] === 'previous',
      }),
  },
  {
    method: 'DELETE',
    path: '/services/*',
    answer: (call) => removeService(call.state, findService(call.state, first(call))),
  },
  { method: 'GET', path: '/tasks', answer: listTasks },
  {
    method: 'GET',
    path: '/networks',
    answer: ({ state, filters }) =>
      [...state.networks.values()]
        .filter(
          ({ name, driver, labels }) =>
            passes(labels, filters['label']) &&
            (filters['name'] ?? ['']).some((part) => name.includes(part)) &&
            (filters['driver'] ?? [driver]).includes(driver),
        )
        .map(answers.networkJson),
  },
  {
    method: 'POST',
    path: '/networks/create',
    answer: ({ state, body }) => ({ Id: addNetwork(state, z.parse(networkBody, body)).id }),
  },
  {
    method: 'GET',
    path: '/networks/*',
    answer: (call) => answers.networkWithMembersJson(call.state, findNetwork(call.state, first(call))),
  },
  {
    method: 'DELETE',
    path: '/networks/*',
    answer: (call) => removeNetwork(call.state, findNetwork(call.state, first(call))),
  },
  {
    method: 'POST',
    path: '/networks/prune',
    answer: ({ state, filters }) => ({
      NetworksDeleted: pruneNetworks(state, ({ labels }) => passes(labels, filters['label'])),
    }),
  },
  {
    method: 'POST',
    path: '/networks/*/connect',
    answer(call) {
      const { Container: id, EndpointConfig: endpoint } = z.parse(connectBody, call.body);
      const network = findNetwork(call.state, first(call));
      connect(call.state, findContainer(call.state, id), network, endpoint?.IPAMConfig?.IPv4Address);
    },
  },
  {
    method: 'POST',
    path: '/networks/*/disconnect',
    answer(call) {
      const { Container: id } = z.parse(connectBody, call.body);
      disconnect(call.state, id, findNetwork(call.state, first(call)));
    },
  },
  {
    method: 'GET',
    path: '/configs',
    answer: ({ state, filters }) =>
      [...state.configs.values()]
        .filter(
          ({ name, labels }) =>
            passes(labels, filters['label']) &&
            (filters['name'] ?? ['']).some((part) => name.startsWith(part)),
        )
        .map(answers.configJson),
  },
  { method: 'POST', path: '/configs/create', answer: createConfig },
  { method: 'DELETE', path: '/configs/*', answer: (call) => removeConfig(call.state, first(call)) },
];

export const swarmStreams: Streams = [
  {
    method: 'GET',
    path: '/tasks/*/logs',
    answer(call) {
      const task = call.state.tasks.get(first(call));
      if (task === undefined) throw new Refusal(404, `task ${first(call)} not found`);
      return taskLogs(call.state, ({ id }) => id === task.id, logQueryOf(call.query));
    },
  },
  { method: 'GET', path: '/events', answer: ({ state }) => eventStream(state) },
  {
    method: 'GET',
    path: '/services/*/logs',
    answer: (call) => serviceLog(call.state, findService(call.state, first(call)), logQueryOf(call.query)),
  },
];

function listTasks({ state, filters }: Call): unknown[] {
  const services = (filters['service'] ?? []).map((name) => findService(state, name).id);
  return [...state.tasks.values()]
    .filter(
      (task) =>
        (filters['service'] === undefined || services.includes(task.serviceId)) &&
        (filters['name'] ?? ['']).some((part) => task.serviceName.startsWith(part)),
    )
    .map(answers.taskJson);
}

function createConfig({ state, body }: Call): unknown {
  const { Name: name, Labels: labels, Data: data } = z.parse(configBody, body);
  if ([...state.configs.values()].some((config) => config.name === name))
    throw swarmRefusal(409, 'AlreadyExists', `config ${name} already exists`);
  const config = { id: swarmId(), name, labels, data, createdAt: Date.now() };
  state.configs.set(config.id, config);
  changed(state);
  return { ID: config.id };
}

function removeConfig(state: State, id: string): void {
  const config = state.configs.get(id);
  if (config === undefined) throw new Refusal(404, `config ${id} not found`);
  const user = [...state.services.values()].find(({ spec }) =>
    spec.TaskTemplate.ContainerSpec.Configs.some(({ ConfigID }) => ConfigID === id),
  );
  if (user !== undefined) {
    throw swarmRefusal(
      400,
      'InvalidArgument',
      `config '${config.name}' is in use by the following service: ${user.spec.Name}`,
    );
  }
  state.configs.delete(id);
}
