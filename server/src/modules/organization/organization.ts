/** Organizations themselves; their members stand in membership.ts, invitations in invitation.ts. */
import { AppError } from '../../domain/errors.ts';
import { noGrants, type Role, type Standing } from '../../domain/access/permissions.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { contentWords, type MemberStore, type OrganizationRecord, type OrganizationStore } from './store.ts';

export type OwnOrganization = OrganizationRecord & { role: Role };

export interface Organizations {
  /**
   * The user becomes its Owner. Made by somebody who does not run the installation it shares the quota of the
   * organization in use, or is FORBIDDEN where the installation does not allow that.
   */
  create(
    by: { userId: string; organizationId: string },
    name: string,
    rule: { tenantsMayCreate: boolean },
  ): Promise<OrganizationRecord>;
  one(organizationId: string): Promise<OrganizationRecord>;
  /** Newest first. */
  ofUser(userId: string): Promise<OwnOrganization[]>;
  update(
    organizationId: string,
    patch: { name?: string | undefined; requireTwoFactor?: boolean | undefined },
  ): Promise<OrganizationRecord>;
  /**
   * With its members, their sessions and keys; PRECONDITION_FAILED for the first one and while something
   * stands in it.
   */
  remove(organizationId: string): Promise<OrganizationRecord>;
  /** The installation's first, whose members run the server; undefined before the first sign-up. */
  first(): Promise<string | undefined>;
  isFirst(organizationId: string): Promise<boolean>;
  standing(organizationId: string): Promise<Standing>;
  /** Every one of the installation, newest first. */
  all(): Promise<OrganizationRecord[]>;
  /** PRECONDITION_FAILED for the installation's own, whose members run the machine anyway. */
  setTrusted(organizationId: string, trusted: boolean): Promise<OrganizationRecord>;
}

export function createOrganizations(
  store: OrganizationStore,
  members: MemberStore,
  clock: Clock,
): Organizations {
  const one = (organizationId: string): Promise<OrganizationRecord> => found(store, organizationId);
  return {
    one,
    async create(by, name, { tenantsMayCreate }) {
      const { userId } = by;
      const isInstallations = await runsInstallation(store, members, userId);
      if (!isInstallations && !tenantsMayCreate) throw notForTenants();
      const shared = isInstallations ? undefined : await one(by.organizationId);
      const organization: OrganizationRecord = {
        ...newOrganization(name, clock),
        parentOrganizationId: shared?.parentOrganizationId ?? shared?.organizationId ?? null,
      };
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
    remove: (organizationId) => removeEmpty(store, organizationId),
    first: () => store.first(),
    isFirst: async (organizationId) => (await store.first()) === organizationId,
    standing: (organizationId) => standingOf(store, organizationId),
    all: () => store.list({}, { by: ['createdAt', 'organizationId'], direction: 'desc' }),
    setTrusted: (organizationId, trusted) => setTrusted(store, organizationId, trusted),
  };
}

/** Whether the user is Owner or Admin of the first organization, in whichever one the session acts. */
async function runsInstallation(
  store: OrganizationStore,
  members: MemberStore,
  userId: string,
): Promise<boolean> {
  const organizationId = await store.first();
  const place = organizationId === undefined ? undefined : await members.find({ userId, organizationId });
  return place !== undefined && place.role !== 'member';
}

function notForTenants(): AppError {
  return new AppError(
    'FORBIDDEN',
    "On this Berth only Owners and Admins of the installation's first organization create organizations. " +
      'Ask them to create one and to invite you, or to allow it to everybody (setting ' +
      'tenantsMayCreateOrganizations). In this organization you can create projects for different purposes.',
  );
}

/** What the organization is on this installation (decisions 2). */
export async function standingOf(
  store: Pick<OrganizationStore, 'first' | 'find'>,
  organizationId: string,
): Promise<Standing> {
  if ((await store.first()) === organizationId) return 'installation';
  return (await store.find({ organizationId }))?.trusted ? 'trusted' : 'tenant';
}

async function found(store: OrganizationStore, organizationId: string): Promise<OrganizationRecord> {
  const record = await store.find({ organizationId });
  if (!record) throw new AppError('NOT_FOUND', 'There is no such organization. It may have been deleted.');
  return record;
}

async function removeEmpty(store: OrganizationStore, organizationId: string): Promise<OrganizationRecord> {
  await store.hold(organizationId, 'removal');
  const organization = await found(store, organizationId);
  if ((await store.first()) === organizationId) {
    throw new AppError(
      'PRECONDITION_FAILED',
      `${organization.name} is the first organization of this Berth, whose members run the server; ` +
        'it cannot be deleted.',
    );
  }
  const sharing = (await store.list({ parentOrganizationId: organizationId })).length;
  if (sharing > 0)
    throw new AppError(
      'PRECONDITION_FAILED',
      `${sharing === 1 ? '1 organization shares' : `${sharing} organizations share`} the quota of ` +
        `${organization.name}. Their Owners have to delete them before it.`,
    );
  const contents = await store.contents(organizationId);
  if (contents.length > 0) {
    const words = contents.map(({ kind, count }) => `${count} ${contentWords[kind][count === 1 ? 0 : 1]}`);
    throw new AppError(
      'PRECONDITION_FAILED',
      `${organization.name} still has ${words.join(', ')}. Remove them first.`,
    );
  }
  await store.remove({ organizationId });
  return organization;
}

async function setTrusted(
  store: OrganizationStore,
  organizationId: string,
  trusted: boolean,
): Promise<OrganizationRecord> {
  if ((await store.first()) === organizationId)
    throw new AppError(
      'PRECONDITION_FAILED',
      "This is the installation's own organization, whose Owners and Admins may reach the machine anyway.",
    );
  await store.update({ organizationId }, { trusted });
  return found(store, organizationId);
}

function newOrganization(name: string, clock: Clock): OrganizationRecord {
  return {
    organizationId: randomId(),
    name,
    createdAt: isoTime(clock),
    requireTwoFactor: false,
    trusted: false,
    parentOrganizationId: null,
  };
}
