import type { CreatePortGuard } from '../../../server/src/reconcile/packet-filter/port-guard.ts';

/** Sets no rules on the machine, and reports none. */
export const noPortGuard: CreatePortGuard = () => ({
  guard: async () => [],
  follow: () => undefined,
  state: () => undefined,
});
