/** The bare engine of a server: what it is, and a swarm made of it. */
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { ServerEngine } from '../../ports/host/server-shell.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import { createEngineClient, segment, type EngineClient } from './client/engine-client.ts';
import { isAbsent } from './client/engine-error.ts';

const version = z.looseObject({ Version: z.string(), ApiVersion: z.string() });
const info = z.looseObject({
  Swarm: z.looseObject({
    LocalNodeState: z.string(),
    ControlAvailable: z.boolean().default(false),
    NodeAddr: z.string().default(''),
    NodeID: z.string().default(''),
    Error: z.string().default(''),
  }),
});

export function createServerEngine(socketPath: string, serverName: string): ServerEngine {
  const client = createEngineClient(socketPath, serverName);
  return {
    async info() {
      try {
        const doing = 'asking the engine what it is';
        const about = await client.call({ method: 'GET', path: '/version', doing }, version);
        const { Swarm: swarm } = await client.call({ method: 'GET', path: '/info', doing }, info);
        return {
          version: about.Version,
          apiVersion: about.ApiVersion,
          swarm: {
            state: swarm.LocalNodeState,
            isManager: swarm.ControlAvailable,
            nodeAddress: swarm.NodeAddr,
            nodeId: swarm.NodeID,
            problem: swarm.Error,
          },
        };
      } catch (error) {
        if (error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE') return undefined;
        throw error;
      }
    },
    initSwarm: (advertiseAddress) =>
      client.send({
        method: 'POST',
        path: '/swarm/init',
        body: { ListenAddr: '0.0.0.0:2377', AdvertiseAddr: advertiseAddress },
        doing: 'making a swarm',
        limitMs: 60_000,
      }),
    ...membershipOf(client),
    ...nodesOf(client),
  };
}

/** Port that managers of a swarm are joined and asked at (Docker's manual, "Open protocols and ports"). */
const swarmPort = 2377;

const swarmAnswer = z.looseObject({
  JoinTokens: z.looseObject({ Manager: z.string(), Worker: z.string() }),
});
const nodeAnswer = z.looseObject({
  Version: z.looseObject({ Index: z.number() }),
  Spec: z.looseObject({ Role: z.string(), Availability: z.string() }),
});

function membershipOf(client: EngineClient): Pick<ServerEngine, 'joinToken' | 'joinSwarm' | 'leaveSwarm'> {
  return {
    async joinToken(role) {
      const { JoinTokens: tokens } = await client.call(
        { method: 'GET', path: '/swarm', doing: 'asking for what nodes join with' },
        swarmAnswer,
      );
      return new Secret(role === 'manager' ? tokens.Manager : tokens.Worker);
    },
    joinSwarm: ({ managerAddresses, advertiseAddress, token }) =>
      client.send({
        method: 'POST',
        path: '/swarm/join',
        body: {
          ListenAddr: `${advertiseAddress}:${swarmPort}`,
          AdvertiseAddr: advertiseAddress,
          RemoteAddrs: managerAddresses.map((address) => `${address}:${swarmPort}`),
          JoinToken: token.reveal(),
        },
        doing: 'joining a swarm',
        limitMs: 60_000,
      }),
    leaveSwarm: ({ isForced = false } = {}) =>
      client.send({
        method: 'POST',
        path: '/swarm/leave',
        query: { force: isForced },
        doing: 'leaving its swarm',
        limitMs: 120_000,
      }),
  };
}

function nodesOf(client: EngineClient): Pick<ServerEngine, 'updateNode' | 'removeNode'> {
  return {
    async updateNode(nodeId, { role, availability }) {
      const path = `/nodes/${segment(nodeId)}`;
      const { Version, Spec } = await client.call(
        { method: 'GET', path, doing: 'reading a node' },
        nodeAnswer,
      );
      const wanted = { ...Spec, Role: role ?? Spec.Role, Availability: availability ?? Spec.Availability };
      if (wanted.Role === Spec.Role && wanted.Availability === Spec.Availability) return;
      await client.send({
        method: 'POST',
        path: `${path}/update`,
        query: { version: Version.Index },
        body: wanted,
        doing: 'changing a node',
      });
    },
    async removeNode(nodeId, { isForced = false } = {}) {
      try {
        const query = { force: isForced };
        const path = `/nodes/${segment(nodeId)}`;
        await client.send({ method: 'DELETE', path, query, doing: 'removing a node' });
      } catch (error) {
        if (!isAbsent(error)) throw error;
      }
    },
  };
}
