import type { CallContext } from '../../procedure/context.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { metricsContract } from './contract.ts';

/** `text` gives the whole exposition. */
export function metricsHandlers(text: () => Promise<string>): Handlers<typeof metricsContract, CallContext> {
  return { prometheus: async () => ({ text: await text() }) };
}
