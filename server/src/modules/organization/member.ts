/** Members: creating a thing grants its creator access to it (decisions 2). */
import type { Actor } from '../../procedure/context.ts';
import type { MemberStore } from './store.ts';

export type GrantList = 'accessedProjects' | 'accessedEnvironments' | 'accessedServices';

export interface Members {
  /**
   * Adds the new thing to a member's grants, inside the transaction that makes it; owners and admins reach
   * everything anyway.
   */
  grantCreated(actor: Actor, list: GrantList, id: string): Promise<void>;
}

export function createMembers(store: MemberStore): Members {
  return {
    async grantCreated(actor, list, id) {
      if (actor.role !== 'member') return;
      const member = await store.hold(actor.userId, actor.organizationId);
      if (!member) return;
      await store.update(
        { memberId: member.memberId },
        { grants: { ...member.grants, [list]: [...member.grants[list], id] } },
      );
    },
  };
}
