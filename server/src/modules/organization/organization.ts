/** Organizations themselves; their members stand in membership.ts, invitations in invitation.ts. */
import { AppError } from '../../domain/errors.ts';
import { noGrants, type Role } from '../../domain/permissions.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { contentWords, type MemberStore, type OrganizationRecord, type OrganizationStore } from './store.ts';

export type OwnOrganization = OrganizationRecord & { role: Role };

export interface Organizations {
  /** The user becomes its Owner. */
  create(userId: string, name: string): Promise<OrganizationRecord>;
  one(organizationId: string): Promise<OrganizationRecord>;
  /** Newest first. */
  ofUser(userId: string): Promise<OwnOrganization[]>;
  update(organizationId: string, patch: { name?: string | undefined }): Promise<OrganizationRecord>;
  /** With its members, their sessions and keys; PRECONDITION_FAILED for the first one and while something stands in it. */
  remove(organizationId: string): Promise<OrganizationRecord>;
  /** The installation's first, whose people run the server; undefined before the first sign-up. */
  first(): Promise<string | undefined>;
  isFirst(organizationId: string): Promise<boolean>;
}

export function createOrganizations(
  store: OrganizationStore,
  members: MemberStore,
  clock: Clock,
): Organizations {
  async function one(organizationId: string): Promise<OrganizationRecord> {
    const record = await store.find({ organizationId });
    if (!record) throw new AppError('NOT_FOUND', 'There is no such organization. It may have been deleted.');
    return record;
  }

  return {
    one,
    async create(userId, name) {
      const organization = { organizationId: randomId(), name, createdAt: isoTime(clock) };
      await store.insert(organization);
      await members.insert({
        memberId: randomId(),
        organizationId: organization.organizationId,
        userId,
        role: 'owner',
        grants: noGrants,
        createdAt: organization.createdAt,
      });
      return organization;
    },
    ofUser: (userId) => store.ofUser(userId),
    async update(organizationId, patch) {
      await store.update({ organizationId }, patch);
      return one(organizationId);
    },
    async remove(organizationId) {
      await store.hold(organizationId, 'removal');
      const organization = await one(organizationId);
      if ((await store.first()) === organizationId) {
        throw new AppError(
          'PRECONDITION_FAILED',
          `${organization.name} is the first organization of this Berth, whose people run the server; it cannot be deleted.`,
        );
      }
      const contents = await store.contents(organizationId);
      if (contents.length > 0) {
        const words = contents.map(
          ({ kind, count }) => `${count} ${contentWords[kind][count === 1 ? 0 : 1]}`,
        );
        throw new AppError(
          'PRECONDITION_FAILED',
          `${organization.name} still has ${words.join(', ')}. Remove them first.`,
        );
      }
      await store.remove({ organizationId });
      return organization;
    },
    first: () => store.first(),
    isFirst: async (organizationId) => (await store.first()) === organizationId,
  };
}
