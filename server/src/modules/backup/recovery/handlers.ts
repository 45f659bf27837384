import type { CallContext } from '../../../procedure/context.ts';
import type { Handlers } from '../../../procedure/procedure.ts';
import type { BackupRuns } from '../runs/runs.ts';
import type { recoveryContract } from '../contract-recovery.ts';
import type { Recoveries } from './recovery.ts';

export interface RecoveryDesk {
  recoveries: Recoveries;
  runs: Pick<BackupRuns, 'wake'>;
}

export function recoveryHandlers({
  recoveries,
  runs,
}: RecoveryDesk): Handlers<typeof recoveryContract, CallContext> {
  return {
    setRecovery: ({ actor, write }, { postgresId, ...input }) =>
      write(() => recoveries.set(postgresId, actor.organizationId, input)),
    async getRecovery({ actor }, { postgresId }) {
      return { recovery: (await recoveries.get(postgresId, actor.organizationId)) ?? null };
    },
    async restoreToMoment({ actor, write }, { postgresId, ...wanted }) {
      const run = await write(() => recoveries.restore(postgresId, actor.organizationId, wanted));
      runs.wake();
      return run;
    },
  };
}
