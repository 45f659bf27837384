/**
 * Who belongs to an organization, with which role and grants (decisions 12): nobody reaches above their own
 * role, and the last Owner stays.
 */
import { AppError } from '../../domain/errors.ts';
import { roleCovers, type Grants, type Role } from '../../domain/access/permissions.ts';
import type { InvitationStore, MemberRecord, MemberStore, OrganizationStore } from './store.ts';

export interface MemberView {
  userId: string;
  name: string;
  email: string;
  role: Role;
  grants: Grants;
  createdAt: string;
}

/** Who changes a member, as the caller was let in. */
export interface MemberChanger {
  userId: string;
  organizationId: string;
  role: Role;
  grants: Pick<Grants, 'canReadSecrets'>;
}

/** Absent fields stay. */
export type PartialGrants = { [K in keyof Grants]?: Grants[K] | undefined };

export interface Memberships {
  /** Newest first; a fixed number of statements. */
  all(organizationId: string): Promise<MemberView[]>;
  /**
   * FORBIDDEN above the changer's own role, and for canReadSecrets that the changer does not hold;
   * PRECONDITION_FAILED when no Owner would be left, or none who reads secrets.
   */
  update(
    by: MemberChanger,
    userId: string,
    change: { role?: Role | undefined; grants?: PartialGrants | undefined },
  ): Promise<MemberView>;
  /** The same refusals of roles; sessions and API keys of the member here end with it. */
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
  return {
    all: (organizationId) => viewsOf(parts, organizationId),
    update: (by, userId, change) => update(parts, by, userId, change),
    remove: (by, userId) => remove(parts, by, userId),
  };
}

async function update(
  parts: MembershipParts,
  by: MemberChanger,
  userId: string,
  { role, grants }: { role?: Role | undefined; grants?: PartialGrants | undefined },
): Promise<MemberView> {
  const { members } = parts;
  const member = await held(parts, by, userId);
  if (role !== undefined && role !== member.role) {
    if (!roleCovers(by.role, role))
      throw new AppError(
        'FORBIDDEN',
        `role: ${role} is above your own role, which is ${by.role}. An Owner can give it.`,
      );
    await keepAnOwner(parts, member);
    await members.update({ memberId: member.memberId }, { role });
    await revokeInvitations(parts, member);
    await parts.endSessions(userId, by.organizationId);
  }
  if (grants) await regrant(parts, by, member, mergedGrants(member.grants, grants));
  return viewOf(parts, userId, by.organizationId);
}

async function regrant(
  parts: MembershipParts,
  by: MemberChanger,
  member: MemberRecord,
  grants: Grants,
): Promise<void> {
  const [couldRead, canRead] = [member.grants.canReadSecrets, grants.canReadSecrets];
  if (canRead && !couldRead) requireHolder(by);
  if (couldRead && !canRead) {
    await keepAReader(parts, member);
    await revokeInvitations(parts, member);
  }
  await parts.members.update({ memberId: member.memberId }, { grants });
}

/** Whoever it was taken from would otherwise give it back to themselves. */
export function requireHolder({ grants }: Pick<MemberChanger, 'grants'>): void {
  if (grants.canReadSecrets) return;
  throw new AppError(
    'FORBIDDEN',
    'grants.canReadSecrets: you do not hold this grant, and only those who hold it can give it. Ask an ' +
      'Owner who may read secrets.',
  );
}

/** Nobody could give it to an Owner again. */
async function keepAReader(
  { members }: MembershipParts,
  { memberId, role, organizationId }: MemberRecord,
): Promise<void> {
  if (role !== 'owner') return;
  const owners = await members.list({ organizationId, role });
  if (owners.some((one) => one.memberId !== memberId && one.grants.canReadSecrets)) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    'grants.canReadSecrets: this is the last Owner who may read secrets, and nobody could give it back. ' +
      'Give it to another Owner first.',
  );
}

async function remove(parts: MembershipParts, by: MemberChanger, userId: string): Promise<MemberView> {
  const member = await held(parts, by, userId);
  await keepAnOwner(parts, member);
  const view = await viewOf(parts, userId, by.organizationId);
  await parts.members.remove({ memberId: member.memberId });
  await revokeInvitations(parts, member);
  await parts.leave(userId, by.organizationId);
  return view;
}

async function viewsOf({ members }: MembershipParts, organizationId: string): Promise<MemberView[]> {
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

async function viewOf(parts: MembershipParts, userId: string, organizationId: string): Promise<MemberView> {
  const view = (await viewsOf(parts, organizationId)).find((one) => one.userId === userId);
  if (!view) throw absent();
  return view;
}

/**
 * Makes every other change of this organization's members wait, and looks whether the changer still is who
 * was let in: what was taken from them meanwhile they give nobody behind it.
 */
export async function holdAs(
  { organizations, members }: Pick<MembershipParts, 'organizations' | 'members'>,
  { userId, organizationId, role, grants }: MemberChanger,
): Promise<void> {
  await organizations.hold(organizationId, 'members');
  const present = await members.find({ userId, organizationId });
  if (present?.role === role && present.grants.canReadSecrets === grants.canReadSecrets) return;
  throw new AppError(
    'FORBIDDEN',
    'Your place in this organization was changed at this moment, so nothing was done. Look at what you may ' +
      'do now (user.get), and try again.',
  );
}

/** The member, as `holdAs`. */
async function held(parts: MembershipParts, by: MemberChanger, userId: string): Promise<MemberRecord> {
  const { organizationId, role } = by;
  await holdAs(parts, by);
  const { members } = parts;
  const member = await members.find({ userId, organizationId });
  if (!member) throw absent();
  if (!roleCovers(role, member.role))
    throw new AppError(
      'FORBIDDEN',
      `This member has the role ${member.role}, which is above yours. An Owner can do this.`,
    );
  return member;
}

async function keepAnOwner(
  { members }: MembershipParts,
  { role, organizationId }: MemberRecord,
): Promise<void> {
  if (role !== 'owner' || (await members.countOwners(organizationId)) > 1) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    'This is the last Owner of the organization. Make another member Owner first.',
  );
}

/** A token handed out with more power than its giver has now would outlive that power. */
async function revokeInvitations(
  { invitations }: MembershipParts,
  { userId, organizationId }: MemberRecord,
): Promise<void> {
  await invitations.update({ organizationId, invitedBy: userId, status: 'pending' }, { status: 'revoked' });
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

/**
 * Grants may outlive what they name; shown are those of what is there, so that they can be given again as
 * they were read.
 */
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
