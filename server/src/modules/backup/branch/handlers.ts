import { reachOf } from '../../../domain/access/permissions.ts';
import type { CallContext } from '../../../procedure/context.ts';
import { paginate } from '../../../procedure/input/page.ts';
import type { Handlers } from '../../../procedure/procedure.ts';
import type { Members } from '../../organization/member.ts';
import type { branchContract } from '../contract-branch.ts';
import type { BackupRuns } from '../runs/runs.ts';
import type { Branches } from './branches.ts';

export interface BranchDesk {
  branches: Branches;
  runs: Pick<BackupRuns, 'wake'>;
  members: Members;
}

export function branchHandlers({
  branches,
  runs,
  members,
}: BranchDesk): Handlers<typeof branchContract, CallContext> {
  return {
    async branch({ actor, write }, input) {
      const plan = await branches.plan(actor.organizationId, input);
      const made = await write(async () => {
        const branch = await branches.create(plan, actor.userId);
        await members.grantCreated(actor, 'accessedServices', branch.databaseId);
        return branch;
      });
      runs.wake();
      return made;
    },
    async branches({ actor }, { databaseId, ...page }) {
      const reaches = reachOf(actor);
      const all = await branches.of(databaseId, actor.organizationId);
      const reached = all.filter(({ scope }) => reaches(scope)).map(({ branch }) => branch);
      return paginate(reached, page, (one) => one.databaseId);
    },
  };
}
