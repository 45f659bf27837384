/** Users with keys: two organizations, each role. */
import type { Database } from '../../server/src/db/database.ts';
import { noGrants, type Grants, type Role } from '../../server/src/domain/access/permissions.ts';
import { createApiKeys, type NewApiKey } from '../../server/src/modules/user/api-key.ts';
import { createUserStore, type UserStore } from '../../server/src/modules/user/store.ts';
import { isoTime, randomId, systemClock, type Clock } from '../../server/src/ports/clock.ts';
import { hashToken, newToken } from '../../server/src/ports/token.ts';
import { sessionCookie } from '../../server/src/domain/access/own-cookies.ts';

export interface Person {
  userId: string;
  organizationId: string;
  key: string;
  /** Header with the key. */
  headers: Record<string, string>;
}

export interface People {
  owner: Person;
  admin: Person;
  member: Person;
  /** Owner of another organization. */
  stranger: Person;
  /** Changes what the member may. */
  grant(grants: Partial<Grants>): Promise<void>;
  /** Another key of a person. */
  newKey(person: Person, input?: Partial<NewApiKey>): Promise<Person>;
  /** Headers of a new session of the person, as a browser on Berth's own pages sends them. */
  session(person: Person, url: string): Promise<Record<string, string>>;
}

export async function createPeople(database: Database, clock: Clock = systemClock): Promise<People> {
  const store = createUserStore(database);
  const users = createApiKeys(store, clock);

  async function person(name: string, organizationId: string, role: Role): Promise<Person> {
    const userId = `user-${name}`;
    await store.users.insert({
      userId,
      email: `${name}@example.com`,
      name,
      passwordHash: 'none',
      createdAt: isoTime(clock),
    });
    await store.members.insert({
      memberId: `member-${name}`,
      organizationId,
      userId,
      role,
      grants: noGrants,
      createdAt: isoTime(clock),
    });
    return newKey({ userId, organizationId, key: '', headers: {} });
  }
  async function newKey({ userId, organizationId }: Person, input: Partial<NewApiKey> = {}): Promise<Person> {
    const { key } = await users.createApiKey(userId, {
      name: 'test',
      metadata: { organizationId },
      ...input,
    });
    return { userId, organizationId, key, headers: { 'x-api-key': key } };
  }

  await insertOrganizations(store);
  const [owner, admin, member, stranger] = [
    await person('owner', 'organization-first', 'owner'),
    await person('admin', 'organization-first', 'admin'),
    await person('member', 'organization-first', 'member'),
    await person('stranger', 'organization-other', 'owner'),
  ];
  return {
    owner,
    admin,
    member,
    stranger,
    newKey,
    session: (person, url) => newSession(store, person, url, clock),
    grant: async (grants) =>
      void (await store.members.update({ userId: member.userId }, { grants: { ...noGrants, ...grants } })),
  };
}

async function insertOrganizations(store: UserStore): Promise<void> {
  // The first organization is the installation's; the other one comes later.
  await store.organizations.insert({
    organizationId: 'organization-first',
    name: 'First',
    trusted: false,
    parentOrganizationId: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    requireTwoFactor: false,
  });
  await store.organizations.insert({
    organizationId: 'organization-other',
    name: 'Other',
    trusted: false,
    parentOrganizationId: null,
    createdAt: '2026-01-02T00:00:00.000Z',
    requireTwoFactor: false,
  });
}

/** A session as a browser's; its headers. */
async function newSession(
  store: UserStore,
  { userId, organizationId }: Person,
  url: string,
  clock: Clock,
): Promise<Record<string, string>> {
  const token = newToken();
  await store.sessions.insert({
    sessionId: randomId(),
    tokenHash: hashToken(token),
    userId,
    organizationId,
    createdAt: isoTime(clock),
    expiresAt: clock.now() + 3_600_000,
    ip: '127.0.0.1',
    userAgent: 'test',
  });
  return { cookie: `${sessionCookie}=${token}`, origin: url };
}
