/** A subscription's answer: a live stream, counted for its caller, or what there is now as one JSON. */
import type { FastifyReply } from 'fastify';
import type { Caller } from '../../procedure/guard.ts';
import type { RegisteredProcedure } from '../../procedure/registry.ts';
import { collectStream, sendStream, type StreamDialect } from './stream.ts';
import type { Wire } from '../wire.ts';

export interface StreamCall {
  target: RegisteredProcedure;
  caller: Caller;
  input: unknown;
}

export async function sendLive(
  wire: Wire,
  reply: FastifyReply,
  { target, caller, input }: StreamCall,
  dialect: StreamDialect,
): Promise<void> {
  let close = (): void => undefined;
  const counted: Caller = {
    ...caller,
    async authenticate() {
      const actor = await caller.authenticate();
      close = await wire.liveStreams.open(actor.userId);
      return actor;
    },
  };
  try {
    const events = await wire.guard.stream(target, counted, input);
    await sendStream(reply, events, dialect, wire.streamLimits, (error) => wire.toError(error, target.path));
  } finally {
    close();
  }
}

export async function collectOnce(wire: Wire, { target, caller, input }: StreamCall): Promise<unknown> {
  const events = await wire.guard.stream(target, caller, input);
  return collectStream(target.procedure, events, await wire.answerLimit());
}
