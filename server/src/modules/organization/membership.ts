/** Who belongs to an organization, with which role and grants (decisions 12): nobody reaches above their own role, and the last Owner stays. */
import { AppError } from '../../domain/errors.ts';
import { roleCovers, type Grants, type Role } from '../../domain/permissions.ts';
import type { InvitationStore, MemberRecord, MemberStore, OrganizationStore } from './store.ts';

export interface MemberView {
  userId: string;
  name: string;
  email: string;
  role: Role;
  grants: Grants;
  createdAt: string;
}

/** Who changes a member. */
export interface MemberChanger {
  organizationId: string;
  role: Role;
}

/** Absent fields stay. */
export type PartialGrants = { [K in keyof Grants]?: Grants[K] | undefined };

export interface Memberships {
  /** Newest first; a fixed number of statements. */
  all(organizationId: string): Promise<MemberView[]>;
  /** FORBIDDEN above the changer's own role, PRECONDITION_FAILED when no Owner would be left. */
  update(
    by: MemberChanger,
    userId: string,
    change: { role?: Role | undefined; grants?: PartialGrants | undefined },
  ): Promise<MemberView>;
  /** The same refusals; sessions and API keys of the member here end with it. */
  remove(by: MemberChanger, userId: string): Promise<MemberView>;
}

export interface MembershipParts {
  members: MemberStore;
  organizations: Pick<OrganizationStore, 'hold'>;
  invitations: Pick<InvitationStore, 'update'>;
  /** Ends what a user has in an organization: sessions and API keys. */
  leave(userId: string, organizationId: string): Promise<void>;
  /** Ends the user's sessions there. */
  endSessions(userId: string, organizationId: string): Promise<void>;
}

export function createMemberships(parts: MembershipParts): Memberships {
  const { members } = parts;

  async function all(organizationId: string): Promise<MemberView[]> {
    const records = await members.withAccounts(organizationId);
    const existing = await members.grantable(organizationId);
    return records.map(({ userId, name, email, role, grants, createdAt }) => ({
      userId,
      name,
      email,
      role,
      grants: withoutRemoved(grants, existing),
      createdAt,
    }));
  }
  async function viewOf(userId: string, organizationId: string): Promise<MemberView> {
    const view = (await all(organizationId)).find((one) => one.userId === userId);
    if (!view) throw absent();
    return view;
  }
  /** The member, with every other change of this organization's members waiting. */
  async function held({ organizationId, role }: MemberChanger, userId: string): Promise<MemberRecord> {
    await parts.organizations.hold(organizationId, 'members');
    const member = await members.find({ userId, organizationId });
    if (!member) throw absent();
    if (!roleCovers(role, member.role))
      throw new AppError(
        'FORBIDDEN',
        `This member has the role ${member.role}, which is above yours. An Owner can do this.`,
      );
    return member;
  }
  async function keepAnOwner({ role, organizationId }: MemberRecord): Promise<void> {
    if (role !== 'owner' || (await members.countOwners(organizationId)) > 1) return;
    throw new AppError(
      'PRECONDITION_FAILED',
      'This is the last Owner of the organization. Make another member Owner first.',
    );
  }
  /** A token handed out with more power than its giver has now would outlive that power. */
  async function revokeInvitations({ userId, organizationId }: MemberRecord): Promise<void> {
    await parts.invitations.update(
      { organizationId, invitedBy: userId, status: 'pending' },
      { status: 'revoked' },
    );
  }

  return {
    all,
    async update(by, userId, { role, grants }) {
      const member = await held(by, userId);
      if (role !== undefined && role !== member.role) {
        if (!roleCovers(by.role, role))
          throw new AppError(
            'FORBIDDEN',
            `role: ${role} is above your own role, which is ${by.role}. An Owner can give it.`,
          );
        await keepAnOwner(member);
        await members.update({ memberId: member.memberId }, { role });
        await revokeInvitations(member);
        await parts.endSessions(userId, by.organizationId);
      }
      if (grants)
        await members.update({ memberId: member.memberId }, { grants: mergedGrants(member.grants, grants) });
      return viewOf(userId, by.organizationId);
    },
    async remove(by, userId) {
      const member = await held(by, userId);
      await keepAnOwner(member);
      const view = await viewOf(userId, by.organizationId);
      await members.remove({ memberId: member.memberId });
      await revokeInvitations(member);
      await parts.leave(userId, by.organizationId);
      return view;
    },
  };
}

/** The grants with what was given put over them. */
export function mergedGrants(grants: Grants, given: PartialGrants): Grants {
  const change = Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? [...new Set(value)] : value]],
    ),
  );
  return { ...grants, ...change };
}

/** Grants may outlive what they name; shown are those of what is there, so that they can be given again as they were read. */
function withoutRemoved(grants: Grants, existing: ReadonlySet<string>): Grants {
  const present = (ids: string[]): string[] => ids.filter((id) => existing.has(id));
  return {
    ...grants,
    accessedProjects: present(grants.accessedProjects),
    accessedEnvironments: present(grants.accessedEnvironments),
    accessedServices: present(grants.accessedServices),
  };
}

function absent(): AppError {
  return new AppError(
    'NOT_FOUND',
    'There is no such member in this organization. The member may have been removed.',
  );
}
