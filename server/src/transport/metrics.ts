/** GET /metrics: the procedure metrics.prometheus, its text as it is. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../domain/errors.ts';
import { errorAnswer } from './envelope.ts';
import { callerOf } from './request.ts';
import type { Wire } from './wire.ts';

const path = 'metrics.prometheus';
/** prometheus.io/docs/instrumenting/exposition_formats */
const contentType = 'text/plain; version=0.0.4; charset=utf-8';

export async function answerMetrics(wire: Wire, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  try {
    const target = wire.registry.get(path);
    if (!target) throw new AppError('NOT_FOUND', 'This Berth has no metrics.');
    const answer = await wire.guard.call(target, callerOf(request, reply, wire, { follow: false }), {});
    const text: unknown = Reflect.get(Object(answer), 'text');
    await reply.header('content-type', contentType).send(String(text));
  } catch (error) {
    const answer = errorAnswer(wire.toError(error, path), path, 'form-b');
    reply.code(answer.status).headers(answer.headers);
    wire.send(reply, answer.body);
  }
}
