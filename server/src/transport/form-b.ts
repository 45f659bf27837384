/**
 * Form B: `/api/<router>.<procedure>`, the bare value as the answer (interface document, What the service
 * does).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../domain/errors.ts';
import { listAnswers, usualPage } from '../procedure/input/page.ts';
import type { RegisteredProcedure } from '../procedure/registry.ts';
import { collectOnce, sendLive } from './streams/answer-stream.ts';
import { errorAnswer } from './envelope.ts';
import { callerOf, checkMethod, findProcedure, inputOf, resuming, wantsEventStream } from './request.ts';
import { documentDialect } from './streams/stream.ts';
import type { Wire } from './wire.ts';
import { receiveUpload } from './upload.ts';

export async function answerFormB(
  wire: Wire,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): Promise<void> {
  try {
    const target = findProcedure(wire, path);
    checkMethod(request, target.procedure, path);
    await answerCall(wire, request, reply, target);
  } catch (error) {
    refuse(wire, reply, path, error);
  }
}

/**
 * One page of a list, `/api/<router>.<procedure>/page`: the same procedure with a `limit`, at an address of
 * its own, so that each address has answers of one shape.
 */
export async function answerPage(
  wire: Wire,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): Promise<void> {
  try {
    const target = findProcedure(wire, path);
    if (!listAnswers(target.procedure.output))
      throw new AppError(
        'NOT_FOUND',
        `${path} answers no list, so it has no pages. Call /api/${path} itself.`,
      );
    checkMethod(request, target.procedure, path);
    const caller = callerOf(request, reply, wire, { follow: false });
    const { value } = inputOf(request, target.procedure);
    const input =
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? { limit: usualPage, ...value }
        : value;
    wire.send(reply, await wire.guard.call(target, caller, input));
  } catch (error) {
    refuse(wire, reply, path, error);
  }
}

function refuse(wire: Wire, reply: FastifyReply, path: string, error: unknown): void {
  const answer = errorAnswer(wire.toError(error, path), path, 'form-b');
  reply.code(answer.status).headers(answer.headers);
  wire.send(reply, answer.body);
}

async function answerCall(
  wire: Wire,
  request: FastifyRequest,
  reply: FastifyReply,
  target: RegisteredProcedure,
): Promise<void> {
  const live = wantsEventStream(request);
  const caller = callerOf(request, reply, wire, { follow: live });
  switch (target.procedure.kind) {
    case 'query':
    case 'mutation':
      wire.send(reply, await wire.guard.call(target, caller, inputOf(request, target.procedure).value));
      return;
    case 'upload':
      wire.send(reply, await receiveUpload(wire, request, target, caller));
      return;
    case 'subscription': {
      const input = inputOf(request, target.procedure);
      const call = { target, caller: resuming(caller, input), input: input.value };
      if (live) await sendLive(wire, reply, call, documentDialect);
      else wire.send(reply, await collectOnce(wire, call));
    }
  }
}
