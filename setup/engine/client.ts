/** The few things set-up asks of the container engine, over its socket. Every call is bounded. */
import Docker from 'dockerode';
import { z } from 'zod';
import { AppError, sentenceOf } from '../../server/src/domain/errors.ts';
import { pullUntilAnswered } from './pull.ts';
import type { PullAnswer } from './pull.ts';

const infoSchema = z.object({
  ServerVersion: z.string(),
  OSType: z.string(),
  Swarm: z.object({
    LocalNodeState: z.string(),
    ControlAvailable: z.boolean().default(false),
    NodeID: z.string().default(''),
    NodeAddr: z.string().default(''),
    Error: z.string().default(''),
  }),
});
const networkSchema = z.object({
  Driver: z.string(),
  Attachable: z.boolean(),
  Labels: z.record(z.string(), z.string()).nullable(),
});

export type EngineInfo = z.infer<typeof infoSchema>;
export type NetworkFacts = z.infer<typeof networkSchema>;

export interface Engine {
  socket: string;
  /** Whether the engine answers within the limit; any fault counts as no. */
  answers(limitMs: number): Promise<boolean>;
  info(): Promise<EngineInfo>;
  /** Makes a swarm of this one node. */
  initSwarm(advertiseAddress: string): Promise<void>;
  hasImage(reference: string): Promise<boolean>;
  network(name: string): Promise<NetworkFacts | undefined>;
  hasService(name: string): Promise<boolean>;
  /** Pulls an image; see `pullUntilAnswered` for what the answers mean. */
  pull(
    reference: string,
    options: { answerLimitMs: number; limitMs: number; signal: AbortSignal },
  ): Promise<PullAnswer>;
}

const callLimitMs = 30_000;

export function connectEngine(socket: string): Engine {
  const docker = new Docker({ socketPath: socket });
  return {
    socket,
    async answers(limitMs) {
      try {
        await bounded('ping', docker.ping(), limitMs);
        return true;
      } catch {
        // Whatever the fault is: it does not answer, and that is what was asked.
        return false;
      }
    },
    info: async () => infoSchema.parse(await bounded('info', docker.info())),
    async initSwarm(advertiseAddress) {
      await bounded(
        'swarm init',
        docker.swarmInit({ ListenAddr: '0.0.0.0:2377', AdvertiseAddr: advertiseAddress }),
      );
    },
    hasImage: async (reference) =>
      (await unlessAbsent(bounded('image inspect', docker.getImage(reference).inspect()))) !== undefined,
    async network(name) {
      const facts = await unlessAbsent(bounded('network inspect', docker.getNetwork(name).inspect()));
      return facts === undefined ? undefined : networkSchema.parse(facts);
    },
    hasService: async (name) =>
      (await unlessAbsent(bounded('service inspect', docker.getService(name).inspect()))) !== undefined,
    pull: (reference, options) =>
      pullUntilAnswered((abortSignal) => docker.pull(reference, { abortSignal }), options),
  };
}

async function bounded<T>(what: string, call: Promise<T>, limitMs = callLimitMs): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const late = new AppError(
      'SERVICE_UNAVAILABLE',
      `The container engine did not answer "${what}" within ${limitMs / 1000} s.`,
    );
    timer = setTimeout(() => reject(late), limitMs);
  });
  try {
    return await Promise.race([call, limit]);
  } finally {
    clearTimeout(timer);
  }
}

async function unlessAbsent<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Error && 'statusCode' in error && error.statusCode === 404) return undefined;
    if (error instanceof AppError) throw error;
    throw new AppError('SERVICE_UNAVAILABLE', `The container engine refused: ${sentenceOf(error)}`, {
      cause: error,
    });
  }
}
