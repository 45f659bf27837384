/** The bare engine of a server: what it is, and a swarm made of it. */
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { ServerEngine } from '../../ports/host/server-shell.ts';
import { createEngineClient } from './client/engine-client.ts';

const version = z.looseObject({ Version: z.string(), ApiVersion: z.string() });
const info = z.looseObject({
  Swarm: z.looseObject({
    LocalNodeState: z.string(),
    ControlAvailable: z.boolean().default(false),
    NodeAddr: z.string().default(''),
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
  };
}
