/** The few things set-up asks of the container engine, over its socket. Every call is bounded. */
import { z } from 'zod';
import {
  createEngineClient,
  segment,
  type EngineClient,
} from '../../server/src/adapters/engine/client/engine-client.ts';
import { imagePath, parseImageReference } from '../../server/src/adapters/engine/client/image-reference.ts';
import { isAbsent } from '../../server/src/adapters/engine/client/engine-error.ts';
import { digestOf } from './image-digest.ts';
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

const imageSchema = z.object({ RepoDigests: z.array(z.string()).nullish() });

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
  /** `repository@sha256:…` under which a registry gave the image; undefined when none did. */
  imageDigest(reference: string): Promise<string | undefined>;
  /** Gives an image that is there a further name with a tag. */
  tagImage(image: string, reference: string): Promise<void>;
  network(name: string): Promise<NetworkFacts | undefined>;
  hasService(name: string): Promise<boolean>;
  /** Pulls an image; see `pullUntilAnswered` for what the answers mean. */
  pull(
    reference: string,
    options: { answerLimitMs: number; limitMs: number; signal: AbortSignal },
  ): Promise<PullAnswer>;
}

export const connectEngine = (socket: string): Engine => engineOver(createEngineClient(socket), socket);

/** The same over a client that is there. */
export function engineOver(client: EngineClient, socket: string): Engine {
  const found = async <T>(path: string, doing: string, schema: z.ZodType<T>): Promise<T | undefined> => {
    try {
      return await client.call({ method: 'GET', path, doing }, schema);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  };
  return {
    socket,
    async answers(limitMs) {
      try {
        await client.send({ method: 'GET', path: '/_ping', doing: 'asking whether it is there', limitMs });
        return true;
      } catch {
        // Whatever the fault is: it does not answer, and that is what was asked.
        return false;
      }
    },
    info: () => client.call({ method: 'GET', path: '/info', doing: 'asking it what it is' }, infoSchema),
    initSwarm: (advertiseAddress) =>
      client.send({
        method: 'POST',
        path: '/swarm/init',
        body: { ListenAddr: '0.0.0.0:2377', AdvertiseAddr: advertiseAddress },
        doing: 'making a swarm',
      }),
    ...imageCalls(client, found),
    network: (name) => found(`/networks/${segment(name)}`, `looking for the network ${name}`, networkSchema),
    async hasService(name) {
      const path = `/services/${segment(name)}`;
      return (await found(path, `looking for the service ${name}`, z.unknown())) !== undefined;
    },
    pull(reference, options) {
      const { repository, tag } = parseImageReference(reference);
      return pullUntilAnswered(
        (signal) =>
          client.open({
            method: 'POST',
            path: '/images/create',
            query: { fromImage: repository, tag },
            doing: `pulling ${reference}`,
            signal,
            limitMs: options.limitMs,
          }),
        options,
      );
    },
  };
}

type Found = <T>(path: string, doing: string, schema: z.ZodType<T>) => Promise<T | undefined>;

function imageCalls(
  client: EngineClient,
  found: Found,
): Pick<Engine, 'hasImage' | 'imageDigest' | 'tagImage'> {
  return {
    async hasImage(reference) {
      const path = `${imagePath(reference)}/json`;
      return (await found(path, `looking for the image ${reference}`, z.unknown())) !== undefined;
    },
    async imageDigest(reference) {
      const path = `${imagePath(reference)}/json`;
      const image = await found(path, `looking for the image ${reference}`, imageSchema);
      return digestOf(reference, image?.RepoDigests ?? []);
    },
    tagImage(image, reference) {
      const { repository, tag } = parseImageReference(reference);
      return client.send({
        method: 'POST',
        path: `${imagePath(image)}/tag`,
        query: { repo: repository, tag },
        doing: `naming the image ${reference}`,
      });
    },
  };
}
