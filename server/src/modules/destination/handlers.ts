import { AppError } from '../../domain/errors.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { destinationContract } from './contract.ts';
import type { Destinations } from './destination.ts';

const testLimitMs = 120_000;

export function destinationHandlers(
  destinations: Destinations,
): Handlers<typeof destinationContract, CallContext> {
  return {
    create: ({ actor, write }, input) => write(() => destinations.create(actor.organizationId, input)),
    one: ({ actor }, { destinationId }) => destinations.one(destinationId, actor.organizationId),
    async all({ actor }, input) {
      return paginate(
        await destinations.all(actor.organizationId),
        input,
        ({ destinationId }) => destinationId,
      );
    },
    update: ({ actor, write }, { destinationId, ...input }) =>
      write(() => destinations.update(destinationId, actor.organizationId, input)),
    remove: ({ actor, write }, { destinationId }) =>
      write(() => destinations.remove(destinationId, actor.organizationId)),
    makeKey: ({ actor, write }, { destinationId }) =>
      write(() => destinations.makeKey(destinationId, actor.organizationId)),
    async testConnection({ actor, signal }, input) {
      const limit = AbortSignal.timeout(testLimitMs);
      await destinations
        .test(
          await destinations.draft(actor.organizationId, input),
          actor.organizationId,
          AbortSignal.any([signal, limit]),
        )
        .catch((error: unknown) => {
          throw limit.aborted && !signal.aborted ? tooSlow() : error;
        });
      return { success: true };
    },
  };
}

function tooSlow(): AppError {
  return new AppError(
    'SERVICE_UNAVAILABLE',
    `The destination did not store, list, return and remove a small object within ${testLimitMs / 1000} ` +
      'seconds. Check that the store works, and the network to it.',
  );
}
