/** Calls of the engine's API about the swarm: services, tasks, networks, files, nodes. */
import { z } from 'zod';
import * as answers from './answers.ts';
import { configBody, connectBody, networkBody, type ServiceBody } from './bodies.ts';
import { findContainer } from '../containers.ts';
import { eventStream } from '../events.ts';
import { logQueryOf, serviceLog, taskLogs } from '../logs.ts';
import { addNetwork, connect, disconnect, findNetwork, pruneNetworks, removeNetwork } from '../networks.ts';
import { Refusal, swarmRefusal } from './refusal.ts';
import { passes, type Answers, type Call, type Streams } from './routes.ts';
import { changeService, createService, findService, removeService } from '../services.ts';
import { changed, swarmId } from '../state.ts';

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
  ...storeRoutes('configs', ({ Configs: all }) => all.map(({ ConfigID }) => ConfigID)),
  ...storeRoutes('secrets', ({ Secrets: all }) => all.map(({ SecretID }) => SecretID)),
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

/** Config objects and secrets are stored alike; `idsOf` are those that a container has. */
function storeRoutes(
  store: 'configs' | 'secrets',
  idsOf: (spec: ServiceBody['TaskTemplate']['ContainerSpec']) => string[],
): Answers {
  const word = store.slice(0, -1);
  return [
    {
      method: 'GET',
      path: `/${store}`,
      answer: ({ state, filters }) =>
        [...state[store].values()]
          .filter(
            ({ name, labels }) =>
              passes(labels, filters['label']) &&
              (filters['name'] ?? ['']).some((part) => name.startsWith(part)),
          )
          .map(answers.configJson),
    },
    {
      method: 'POST',
      path: `/${store}/create`,
      answer({ state, body }) {
        const { Name: name, Labels: labels, Data: data } = z.parse(configBody, body);
        if ([...state[store].values()].some((stored) => stored.name === name))
          throw swarmRefusal(409, 'AlreadyExists', `${word} ${name} already exists`);
        const stored = { id: swarmId(), name, labels, data, createdAt: Date.now() };
        state[store].set(stored.id, stored);
        changed(state);
        return { ID: stored.id };
      },
    },
    {
      method: 'DELETE',
      path: `/${store}/*`,
      answer(call) {
        const id = first(call);
        const stored = call.state[store].get(id);
        if (stored === undefined) throw new Refusal(404, `${word} ${id} not found`);
        const user = [...call.state.services.values()].find(({ spec }) =>
          idsOf(spec.TaskTemplate.ContainerSpec).includes(id),
        );
        if (user !== undefined)
          throw swarmRefusal(
            400,
            'InvalidArgument',
            `${word} '${stored.name}' is in use by the following service: ${user.spec.Name}`,
          );
        call.state[store].delete(id);
      },
    },
  ];
}
