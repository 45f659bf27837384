/** Calls of the engine's API about images and registries. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { z } from 'zod';
import * as answers from './answers.ts';
import { authBody, commitBody } from './bodies.ts';
import { findContainer } from '../containers.ts';
import * as images from '../images.ts';
import { Refusal } from './refusal.ts';
import { passes, type Answers, type Call, type Streams } from './routes.ts';
import { accountOf } from '../tasks.ts';

/** A registry's answer takes about so long, and each megabyte so much more. */
const answerMs = 30;
const megabyteMs = 1;

const first = ({ parts: [part = ''] }: Call): string => part;

export const imageAnswers: Answers = [
  {
    method: 'GET',
    path: '/images/json',
    answer: ({ state, filters }) =>
      [...state.images.values()]
        .filter(({ content }) => passes(content.labels ?? {}, filters['label']))
        .map(answers.listedImageJson),
  },
  {
    method: 'GET',
    path: '/images/**/json',
    answer: (call) => answers.imageJson(images.requireImage(call.state, first(call))),
  },
  {
    method: 'GET',
    path: '/distribution/**/json',
    async answer(call) {
      await sleep(answerMs);
      return { Descriptor: { digest: images.digestAt(call.state, first(call), accountOf(call.auth)) } };
    },
  },
  {
    method: 'POST',
    path: '/images/**/tag',
    answer: (call) =>
      images.tagImage(
        call.state,
        images.requireImage(call.state, first(call)),
        `${call.query['repo']}:${call.query['tag']}`,
      ),
  },
  { method: 'DELETE', path: '/images/**', answer: (call) => images.removeImage(call.state, first(call)) },
  { method: 'POST', path: '/auth', answer: signIn },
  { method: 'POST', path: '/commit', answer: commit },
];

export const imageStreams: Streams = [
  {
    method: 'POST',
    path: '/images/create',
    answer({ state, query, auth }) {
      const tag = query['tag'] ?? 'latest';
      const reference = `${query['fromImage']}${tag.startsWith('sha256:') ? '@' : ':'}${tag}`;
      return transfer(async function* () {
        yield { status: `Pulling from ${query['fromImage']}`, id: tag };
        await sleep(answerMs);
        const image = images.pull(state, reference, accountOf(auth));
        await sleep(megabytes(image.content.sizeBytes) * megabyteMs);
        yield { status: `Digest: ${image.id}` };
        yield { status: `Status: Downloaded newer image for ${reference}` };
      });
    },
  },
  {
    method: 'POST',
    path: '/images/**/push',
    answer(call) {
      const { state, query, auth } = call;
      const reference = `${first(call)}:${query['tag']}`;
      const image = images.requireImage(state, reference);
      return transfer(async function* () {
        yield { status: `The push refers to repository [${first(call)}]` };
        await sleep(answerMs + megabytes(image.content.sizeBytes) * megabyteMs);
        const digest = images.push(state, reference, accountOf(auth));
        yield { status: `${query['tag']}: digest: ${digest} size: 528` };
      });
    },
  },
];

const megabytes = (bytes = 1_000_000): number => bytes / 1_000_000;

/** Lines of progress; what goes wrong on the way is one of them. */
function transfer(lines: () => AsyncGenerator<{ status: string; id?: string }>): Readable {
  async function* text(): AsyncGenerator<string> {
    try {
      for await (const line of lines()) yield `${JSON.stringify(line)}\n`;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      yield `${JSON.stringify({ error: error.message })}\n`;
    }
  }
  return Readable.from(text());
}

async function signIn({ state, body }: Call): Promise<unknown> {
  const { username, password, serveraddress } = z.parse(authBody, body);
  await sleep(answerMs);
  const registry = images.registryAt(state, serveraddress);
  if (!images.isAdmitted(registry, { username, password })) {
    throw new Refusal(500, `Get "https://${serveraddress}/v2/": unauthorized: authentication required`);
  }
  return { Status: 'Login Succeeded' };
}

/** An image of a container as it stands. */
function commit({ state, query, body }: Call): unknown {
  const container = findContainer(state, query['container'] ?? '');
  const { Labels: labels, ExposedPorts: ports, Healthcheck: check } = z.parse(commitBody, body);
  const { image } = container;
  const made = images.addImage(state, `${query['repo']}:${query['tag']}`, {
    programs: {},
    ...image?.content,
    command: container.argv,
    labels: { ...container.labels, ...labels },
    exposedPorts: [...(image?.content.exposedPorts ?? []), ...Object.keys(ports)],
    ...(check === undefined ? {} : { healthCheck: check.Test }),
  });
  return { Id: made.id };
}
