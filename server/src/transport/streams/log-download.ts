/** GET /api/deployments/<deploymentId>/log: the procedure deployment.logs as plain text, up to now. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import type { StreamEvent } from '../../procedure/procedure.ts';
import { answerHeaders } from '../entrance/answer-headers.ts';
import { errorAnswer } from '../envelope.ts';
import { callerOf } from '../request.ts';
import { drained } from '../../ports/drained.ts';
import type { Wire } from '../wire.ts';

const path = 'deployment.logs';

export async function answerLog(
  wire: Wire,
  request: FastifyRequest,
  reply: FastifyReply,
  deploymentId: string,
): Promise<void> {
  try {
    const target = wire.registry.get(path);
    if (!target) throw new AppError('NOT_FOUND', 'This Berth has no logs of deployments.');
    const caller = { ...callerOf(request, reply, wire, { follow: false }), lastEventId: undefined };
    const events = await wire.guard.stream(target, caller, { deploymentId });
    await sendText(reply, events, nameOf(deploymentId), wire.streamLimits.unreadMs);
  } catch (error) {
    const answer = errorAnswer(wire.toError(error, path), path, 'form-b');
    reply.code(answer.status).headers(answer.headers);
    wire.send(reply, answer.body);
  }
}

/** What the reader has not taken holds the log back; one that takes nothing for too long is dropped. */
async function sendText(
  reply: FastifyReply,
  events: AsyncIterable<StreamEvent<unknown>>,
  name: string,
  unreadMs: number,
): Promise<void> {
  reply.hijack();
  const response = reply.raw;
  response.writeHead(200, {
    ...answerHeaders,
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': `attachment; filename="${name}"`,
  });
  try {
    for await (const { data } of events) {
      const text: unknown = Reflect.get(Object(data), 'text');
      if (typeof text !== 'string') continue;
      response.write(`${text}\n`);
      if (response.writableNeedDrain && !(await drained(response, unreadMs))) response.destroy();
      if (response.destroyed) return;
    }
    response.end();
  } catch {
    // The head has left: that the log is not whole shows in a connection that breaks.
    response.destroy();
  }
}

function nameOf(deploymentId: string): string {
  return `deployment-${deploymentId.replace(/[^A-Za-z0-9_-]/g, '_')}.log`;
}
