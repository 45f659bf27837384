/** Invitations: a token for one person, one use and seven days; only its hash is kept (decisions 12). */
import { AppError } from '../../domain/errors.ts';
import { noGrants, roleCovers, type Grants, type Role } from '../../domain/access/permissions.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { hashToken, newToken } from '../../ports/token.ts';
import { holdAs, mergedGrants, requireHolder, type MemberChanger, type PartialGrants } from './membership.ts';
import type { InvitationRecord, InvitationStore, MemberStore, OrganizationStore } from './store.ts';

export interface InvitationView {
  invitationId: string;
  email: string;
  role: Role;
  grants: Grants;
  status: InvitationRecord['status'] | 'expired';
  invitedBy: string;
  expiresAt: string;
  createdAt: string;
}

export interface NewInvitation {
  email: string;
  role: Role;
  grants?: PartialGrants | undefined;
}

export interface Invitations {
  /**
   * FORBIDDEN for a role above the inviter's own, for canReadSecrets without holding it, and when the
   * inviter's place was changed meanwhile; CONFLICT when the person is a member already.
   */
  invite(by: MemberChanger, input: NewInvitation): Promise<InvitationView & { token: string }>;
  /** Newest first. */
  all(organizationId: string): Promise<InvitationView[]>;
  /** PRECONDITION_FAILED when it was used or revoked before. */
  revoke(invitationId: string, organizationId: string): Promise<InvitationView>;
  /** The open invitation of this token for this address, or why there is none. */
  open(token: string, email: string): Promise<{ invitation: InvitationRecord } | { refusal: AppError }>;
  /**
   * Uses it up and makes the user a member, inside the caller's transaction; FORBIDDEN when it was used
   * meanwhile, CONFLICT when the user is a member already. `userOf` gives the user once the invitation is
   * secured.
   */
  redeem<T extends { userId: string }>(
    invitation: { invitationId: string },
    userOf: () => Promise<T>,
  ): Promise<T>;
}

/** What the holder of a token is shown before joining. */
export interface InvitationCard {
  organization: string;
  /** Name of the person who sent it. */
  invitedBy: string;
  email: string;
  role: Role;
  expiresAt: string;
}

export interface CardDeps {
  invitations: Pick<InvitationStore, 'find'>;
  organizations: { find(where: { organizationId: string }): Promise<{ name: string } | undefined> };
  users: { find(where: { userId: string }): Promise<{ name: string } | undefined> };
}

/** Reads the open invitation of a token; undefined for every token that cannot be used. */
export function invitationCards(
  { invitations, organizations, users }: CardDeps,
  clock: Clock,
): (token: string) => Promise<InvitationCard | undefined> {
  return async (token) => {
    const record = await invitations.find({ tokenHash: hashToken(token) });
    if (!record || record.status !== 'pending' || record.expiresAt <= clock.now()) return undefined;
    const { organizationId, invitedBy: userId, email, role } = record;
    const [organization, inviter] = await Promise.all([
      organizations.find({ organizationId }),
      users.find({ userId }),
    ]);
    if (!organization || !inviter) return undefined;
    return {
      organization: organization.name,
      invitedBy: inviter.name,
      email,
      role,
      expiresAt: new Date(record.expiresAt).toISOString(),
    };
  };
}

const lifetimeMs = 7 * 24 * 3_600_000;

interface Parts {
  store: InvitationStore;
  members: MemberStore;
  organizations: Pick<OrganizationStore, 'hold'>;
  /** Ends what a user has in an organization: sessions and API keys. */
  leave(userId: string, organizationId: string): Promise<void>;
  clock: Clock;
}

export function createInvitations(
  store: InvitationStore,
  { members, organizations, leave }: Pick<Parts, 'members' | 'organizations' | 'leave'>,
  clock: Clock,
): Invitations {
  const parts: Parts = { store, members, organizations, leave, clock };
  return {
    invite: (by, input) => invite(parts, by, input),
    all: async (organizationId) =>
      (await store.list({ organizationId }, { by: ['createdAt', 'invitationId'], direction: 'desc' })).map(
        (record) => viewOf(record, clock),
      ),
    revoke: (invitationId, organizationId) => revoke(parts, invitationId, organizationId),
    open: (token, email) => open(parts, token, email),
    redeem: ({ invitationId }, userOf) => redeem(parts, invitationId, userOf),
  };
}

async function invite(
  { store, clock, ...parts }: Parts,
  by: MemberChanger,
  input: NewInvitation,
): Promise<InvitationView & { token: string }> {
  if (!roleCovers(by.role, input.role))
    throw new AppError(
      'FORBIDDEN',
      `role: ${input.role} is above your own role, which is ${by.role}. An Owner can give it.`,
    );
  if (input.grants?.canReadSecrets) requireHolder(by);
  await holdAs(parts, by);
  const { organizationId } = by;
  const email = input.email.toLowerCase();
  if (await store.isMember(email, organizationId))
    throw new AppError(
      'CONFLICT',
      `${email} is already a member of this organization. Change the member with ` +
        'organization.updateMember.',
    );
  await store.update({ organizationId, email, status: 'pending' }, { status: 'revoked' });
  const token = newToken();
  const record: InvitationRecord = {
    invitationId: randomId(),
    organizationId,
    email,
    role: input.role,
    // Not named, it is what the inviter has.
    grants: mergedGrants({ ...noGrants, canReadSecrets: by.grants.canReadSecrets }, input.grants ?? {}),
    tokenHash: hashToken(token),
    invitedBy: by.userId,
    status: 'pending',
    expiresAt: clock.now() + lifetimeMs,
    createdAt: isoTime(clock),
  };
  await store.insert(record);
  return { ...viewOf(record, clock), token };
}

async function revoke(
  { store, clock }: Parts,
  invitationId: string,
  organizationId: string,
): Promise<InvitationView> {
  const isOpen =
    (await store.update({ invitationId, organizationId, status: 'pending' }, { status: 'revoked' })) > 0;
  const record = await store.find({ invitationId, organizationId });
  if (!record) throw new AppError('NOT_FOUND', 'There is no such invitation.');
  if (!isOpen) {
    const advice = record.status === 'accepted' ? '; remove the member with organization.removeMember' : '';
    throw new AppError('PRECONDITION_FAILED', `This invitation was ${record.status} before${advice}.`);
  }
  return viewOf(record, clock);
}

async function open(
  { store, clock }: Parts,
  token: string,
  email: string,
): Promise<{ invitation: InvitationRecord } | { refusal: AppError }> {
  const invitation = await store.find({ tokenHash: hashToken(token) });
  if (!invitation)
    return {
      refusal: new AppError(
        'NOT_FOUND',
        'There is no invitation with this token. Check that it is complete, or ask for a new one.',
      ),
    };
  if (invitation.email !== email)
    return {
      refusal: new AppError(
        'FORBIDDEN',
        'This invitation is for another e-mail address. Ask for one to yours.',
      ),
    };
  const { status } = viewOf(invitation, clock);
  return status === 'pending'
    ? { invitation }
    : { refusal: new AppError('PRECONDITION_FAILED', `${endings[status]} Ask for a new one.`) };
}

async function redeem<T extends { userId: string }>(
  { store, members, leave, clock }: Parts,
  invitationId: string,
  userOf: () => Promise<T>,
): Promise<T> {
  const record = (await store.claim(invitationId, clock.now()))
    ? await store.find({ invitationId })
    : undefined;
  if (!record)
    throw new AppError('FORBIDDEN', 'This invitation has since been used or revoked. Ask for a new one.');
  const { organizationId, role, grants } = record;
  const user = await userOf();
  const { userId } = user;
  if (await members.find({ userId, organizationId }))
    throw new AppError('CONFLICT', 'You are a member of this organization already.');
  // Whatever an earlier membership left behind must not come to life again.
  await leave(userId, organizationId);
  await members.insert({
    memberId: randomId(),
    organizationId,
    userId,
    role,
    grants,
    createdAt: isoTime(clock),
  });
  return user;
}

const endings = {
  accepted: 'This invitation has already been used.',
  revoked: 'This invitation was revoked.',
  expired: 'This invitation has expired.',
} as const;

function viewOf(
  { invitationId, email, role, grants, status, invitedBy, expiresAt, createdAt }: InvitationRecord,
  clock: Clock,
): InvitationView {
  const isExpired = status === 'pending' && expiresAt <= clock.now();
  return {
    invitationId,
    email,
    role,
    grants,
    status: isExpired ? 'expired' : status,
    invitedBy,
    expiresAt: new Date(expiresAt).toISOString(),
    createdAt,
  };
}

/** Ends what somebody whose account goes has sent, and what was sent to them. */
export function endInvitationsOf(
  store: Pick<InvitationStore, 'update'>,
): (user: { userId: string; email: string }) => Promise<void> {
  return async ({ userId, email }) => {
    await store.update({ invitedBy: userId, status: 'pending' }, { status: 'revoked' });
    await store.update({ email, status: 'pending' }, { status: 'revoked' });
  };
}
