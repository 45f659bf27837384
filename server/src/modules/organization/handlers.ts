import { AppError } from '../../domain/errors.ts';
import type { Actor, CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { organizationContract } from './contract.ts';
import type { Invitations } from './invitation.ts';
import type { Memberships } from './membership.ts';
import type { Quotas } from '../quota/quota.ts';
import type { Organizations, OwnOrganization } from './organization.ts';

export interface OrganizationDesk {
  organizations: Organizations;
  memberships: Memberships;
  invitations: Invitations;
  /** Makes a session act in another organization. */
  moveSession(sessionId: string, organizationId: string): Promise<void>;
  emailOf(userId: string): Promise<string>;
  hasTwoFactor(userId: string): Promise<boolean>;
  quotas: Quotas;
  /** An organization is no more: what servers keep for it alone goes, too. Nobody waits for it. */
  gone(organizationId: string): void;
  /** Whether people who do not run the installation may create organizations. */
  tenantsMayCreate(): Promise<boolean>;
  /** What everybody takes of disks is measured, unless it was a moment ago; a while at most. */
  measureDisk(): Promise<void>;
}

export function organizationHandlers({
  organizations,
  memberships,
  invitations,
  ...desk
}: OrganizationDesk): Handlers<typeof organizationContract, CallContext> {
  async function ownOne(userId: string, organizationId: string): Promise<OwnOrganization> {
    const found = (await organizations.ofUser(userId)).find((one) => one.organizationId === organizationId);
    if (!found) throw new AppError('NOT_FOUND', 'There is no such organization. It may have been deleted.');
    return found;
  }
  return {
    async create({ actor, write }, { name }) {
      const rule = { tenantsMayCreate: await desk.tenantsMayCreate() };
      return write(() => organizations.create(actor, name, rule), {
        organizationId: ({ organizationId }) => organizationId,
      });
    },
    one: (_context, { organizationId }) => organizations.one(organizationId),
    async all({ actor }, input) {
      const all = await organizations.ofUser(actor.userId);
      return paginate(
        all.filter(
          ({ organizationId }) => actor.apiKeyId === undefined || organizationId === actor.organizationId,
        ),
        input,
        ({ organizationId }) => organizationId,
      );
    },
    async update({ actor, write }, { organizationId, ...patch }) {
      if (patch.requireTwoFactor && !(await desk.hasTwoFactor(actor.userId)))
        throw new AppError(
          'PRECONDITION_FAILED',
          'Set two-factor sign-in up for yourself first (user.twoFactorSetUp): without it you could do ' +
            'nothing else in this organization.',
        );
      return write(() => organizations.update(organizationId, patch));
    },
    async delete({ actor, write }, { organizationId }) {
      const first = (await organizations.first()) ?? actor.organizationId;
      const removed = await write(() => organizations.remove(organizationId), {
        organizationId: () => first,
      });
      desk.gone(organizationId);
      return removed;
    },
    async installation(_context, input) {
      return paginate(await organizations.all(), input, ({ organizationId }) => organizationId);
    },
    setTrusted: ({ write }, { organizationId, trusted }) =>
      write(() => organizations.setTrusted(organizationId, trusted)),
    setQuota: ({ write }, { organizationId, ...patch }) =>
      write(() => desk.quotas.set(organizationId, patch)),
    async usage(_context, { organizationId }) {
      await desk.measureDisk();
      return desk.quotas.view(organizationId);
    },
    setActive: ({ actor, write }, { organizationId }) =>
      write(async () => {
        await desk.moveSession(sessionOf(actor), organizationId);
        return ownOne(actor.userId, organizationId);
      }),
    async members({ actor }, input) {
      return paginate(await memberships.all(actor.organizationId), input, ({ userId }) => userId);
    },
    invite: ({ actor, write }, input) => write(() => invitations.invite(actor, input)),
    async invitations({ actor }, input) {
      return paginate(await invitations.all(actor.organizationId), input, ({ invitationId }) => invitationId);
    },
    revoke: ({ actor, write }, { invitationId }) =>
      write(() => invitations.revoke(invitationId, actor.organizationId)),
    async accept({ actor: { userId }, write }, { token }) {
      const opened = await invitations.open(token, await desk.emailOf(userId));
      if ('refusal' in opened) throw opened.refusal;
      const { invitation } = opened;
      return write(
        async () => {
          await invitations.redeem(invitation, async () => ({ userId }));
          return ownOne(userId, invitation.organizationId);
        },
        { organizationId: ({ organizationId }) => organizationId },
      );
    },
    updateMember: ({ actor, write }, { userId, ...change }) =>
      write(() => memberships.update(actor, userId, change)),
    removeMember: ({ actor, write }, { userId }) => write(() => memberships.remove(actor, userId)),
  };
}

/** The guard lets sessions only to where this is asked. */
function sessionOf({ sessionId }: Actor): string {
  if (sessionId === undefined)
    throw new AppError(
      'FORBIDDEN',
      'An API key always acts in its own organization. Sign in to change the one in use.',
    );
  return sessionId;
}
