/**
 * Form A: `/api/trpc/<router>.<procedure>`, wrapped answers, batches, and what an unmodified @trpc/client
 * needs.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../domain/errors.ts';
import { collectOnce, sendLive } from './streams/answer-stream.ts';
import { answerHeaders } from './entrance/answer-headers.ts';
import { errorAnswer, type ErrorAnswer } from './envelope.ts';
import {
  bodyOf,
  callerOf,
  checkMethod,
  findProcedure,
  inputOf,
  isTrpcClient,
  methodOf,
  parametersOf,
  parseJson,
  resuming,
  unwrapped,
  wantsEventStream,
  type RawInput,
} from './request.ts';
import { trpcDialect } from './streams/stream.ts';
import { receiveUpload } from './upload.ts';
import type { Wire } from './wire.ts';

const batchLimit = 50;

export async function answerFormA(
  wire: Wire,
  request: FastifyRequest,
  reply: FastifyReply,
  names: string,
): Promise<void> {
  const isBatch = parametersOf(request)['batch'] === '1';
  try {
    if (isBatch) await answerBatch(wire, request, reply, names.split(','));
    else await answerSingle(wire, request, reply, names);
  } catch (error) {
    const answer = failure(wire, request, error, names);
    reply.code(answer.status).headers(answer.headers);
    wire.send(reply, answer.body);
  }
}

async function answerSingle(
  wire: Wire,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): Promise<void> {
  const target = findProcedure(wire, path);
  checkMethod(request, target.procedure, path);
  const live = wantsEventStream(request);
  const caller = callerOf(request, reply, wire, { follow: live });
  if (target.procedure.kind === 'upload') {
    wire.send(reply, { result: { data: await receiveUpload(wire, request, target, caller) } });
    return;
  }
  const input = inputOf(request, target.procedure);
  if (target.procedure.kind === 'subscription') {
    const call = { target, caller: resuming(caller, input), input: input.value };
    if (live) await sendLive(wire, reply, call, trpcDialect);
    else wire.send(reply, { result: { data: await collectOnce(wire, call) } });
    return;
  }
  wire.send(reply, success(wire, await wire.guard.call(target, caller, input.value), input));
}

async function answerBatch(
  wire: Wire,
  request: FastifyRequest,
  reply: FastifyReply,
  paths: string[],
): Promise<void> {
  if (paths.length > batchLimit)
    throw new AppError(
      'BAD_REQUEST',
      `A batch may hold ${batchLimit} calls; this one has ${paths.length}. Send several batches.`,
    );
  const inputs = batchInputs(request);
  const answers = paths.map((path, index) =>
    batchCall(wire, request, reply, path, unwrapped(inputs[index] ?? {})),
  );
  if (
    request.headers['trpc-accept'] === 'application/jsonl' ||
    request.headers.accept === 'application/jsonl'
  ) {
    await sendLines(reply, answers);
    return;
  }
  const all = await Promise.all(answers);
  const statuses = new Set(all.map(({ status }) => status));
  const [only] = statuses;
  reply.code(statuses.size === 1 && only !== undefined ? only : 207);
  wire.send(
    reply,
    all.map(({ body }) => body),
  );
}

function batchInputs(request: FastifyRequest): Record<number, unknown> {
  const { input } = parametersOf(request);
  const inputs =
    methodOf(request) === 'GET'
      ? input === undefined
        ? {}
        : parseJson(String(input), 'input')
      : bodyOf(request);
  if (typeof inputs !== 'object' || inputs === null)
    throw new AppError('BAD_REQUEST', 'The input of a batch is an object keyed by the index of the call.');
  return { ...inputs };
}

async function batchCall(
  wire: Wire,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  input: RawInput,
): Promise<ErrorAnswer> {
  try {
    const target = findProcedure(wire, path);
    checkMethod(request, target.procedure, path);
    if (target.procedure.kind !== 'query' && target.procedure.kind !== 'mutation') {
      throw new AppError('BAD_REQUEST', `${path} cannot be part of a batch; call it alone.`);
    }
    const value = await wire.guard.call(
      target,
      callerOf(request, reply, wire, { follow: false }),
      input.value,
    );
    return { status: 200, headers: {}, body: success(wire, value, input) };
  } catch (error) {
    return failure(wire, request, error, path);
  }
}

/** tRPC's streamed batch: a head that promises one value per call, then each value as its call ends. */
async function sendLines(reply: FastifyReply, answers: Promise<ErrorAnswer>[]): Promise<void> {
  reply.hijack();
  const response = reply.raw;
  response.writeHead(200, {
    ...answerHeaders,
    'content-type': 'application/json',
    'transfer-encoding': 'chunked',
    vary: 'trpc-accept',
  });
  response.write(
    `${JSON.stringify(Object.fromEntries(answers.map((_, index) => [index, [[0], [null, 0, index]]])))}\n`,
  );
  await Promise.all(
    answers.map(async (answer, index) => {
      const { body } = await answer;
      response.write(`${JSON.stringify([index, 0, [[body]]])}\n`);
    }),
  );
  response.end();
}

function success({ wrapsAnswers }: Wire, value: unknown, input: RawInput): unknown {
  return { result: { data: wrapsAnswers || input.wrapped ? { json: value ?? null } : (value ?? null) } };
}

function failure(wire: Wire, request: FastifyRequest, error: unknown, path: string): ErrorAnswer {
  return errorAnswer(wire.toError(error, path), path, isTrpcClient(request) ? 'trpc' : 'form-a');
}
