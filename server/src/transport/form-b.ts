/**
 * Form B: `/api/<router>.<procedure>`, the bare value as the answer (interface document, What the service
 * does).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../domain/errors.ts';
import type { RegisteredProcedure } from '../procedure/registry.ts';
import { collectOnce, sendLive } from './streams/answer-stream.ts';
import { errorAnswer } from './envelope.ts';
import { callerOf, checkMethod, inputOf, resuming, wantsEventStream } from './request.ts';
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
    const target = wire.registry.get(path);
    if (!target)
      throw new AppError(
        'NOT_FOUND',
        `There is no procedure ${path}. GET /api/openapi.json lists all of them.`,
      );
    checkMethod(request, target.procedure, path);
    await answerCall(wire, request, reply, target);
  } catch (error) {
    const answer = errorAnswer(wire.toError(error, path), path, 'form-b');
    reply.code(answer.status).headers(answer.headers);
    wire.send(reply, answer.body);
  }
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
