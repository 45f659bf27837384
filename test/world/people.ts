/**
 * The people of a world: each role in its organization, and the owner of another one. Keys and sessions are
 * known texts, of which the database holds the hashes.
 */
import { noGrants, type Grants, type Role } from '../../server/src/domain/access/permissions.ts';
import { recoveryCodeHash } from '../../server/src/modules/user/two-factor.ts';
import { hashToken } from '../../server/src/ports/token.ts';
import { sessionCookie } from '../../server/src/domain/access/own-cookies.ts';
import { hiddenTexts, type Fixtures, type Rows } from './fixtures.ts';

/**
 * Who can call: `member` has no grant; `granted` every one, over all of the organization's projects;
 * `elsewhere` the same over a project that no test names; `stranger` is the Owner of the other organization.
 */
export const personNames = ['owner', 'admin', 'member', 'granted', 'elsewhere', 'stranger'] as const;
export type PersonName = (typeof personNames)[number];

export interface Person {
  userId: string;
  email: string;
  memberId: string;
  apiKeyId: string;
  sessionId: string;
  /** Token of an invitation to the other organization. */
  invitation: string;
  /** Of `elsewhere` alone, who has a second factor. */
  recoveryCode: string;
  /** Header with the key. */
  byKey: Record<string, string>;
  /** Header with the session's cookie; changes need an Origin besides. */
  bySession: Record<string, string>;
}

export type People = Record<PersonName, Person>;

const roles: Record<PersonName, Role> = {
  owner: 'owner',
  admin: 'admin',
  member: 'member',
  granted: 'member',
  elsewhere: 'member',
  stranger: 'owner',
};

export function peopleOf(prefix: string): People {
  const person = (name: PersonName): Person => {
    const id = (what: string): string => `${prefix}-${what}-${name}`;
    return {
      userId: id('user'),
      email: `${id('user')}@example.com`,
      memberId: id('membership'),
      apiKeyId: id('key'),
      sessionId: id('session'),
      invitation: id('invited'),
      recoveryCode: id('recovery'),
      byKey: { 'x-api-key': keyOf(prefix, name) },
      bySession: { cookie: `${sessionCookie}=${tokenOf(prefix, name)}` },
    };
  };
  return {
    owner: person('owner'),
    admin: person('admin'),
    member: person('member'),
    granted: person('granted'),
    elsewhere: person('elsewhere'),
    stranger: person('stranger'),
  };
}

const keyOf = (prefix: string, name: string): string => `berth_${prefix}_${name}`;
const tokenOf = (prefix: string, name: string): string => `session-${prefix}-${name}`;

const createdAt = '2026-06-01T00:00:00.000Z';
const never = 4_000_000_000_000;

/** `passwordHash` is everybody's. */
export function rowsOfPeople(
  people: People,
  { own, other, passwordHash }: { own: Fixtures; other: Fixtures; passwordHash: string },
): Rows {
  const rows = personNames.map((name) => {
    const { userId, email, memberId, apiKeyId, sessionId } = people[name];
    const { organizationId } = name === 'stranger' ? other : own;
    return {
      user: { userId, email, name, passwordHash, createdAt },
      member: {
        memberId,
        organizationId,
        userId,
        role: roles[name],
        grants:
          name === 'granted'
            ? grantsOver(own['projectId'], own['emptyProjectId'])
            : name === 'elsewhere'
              ? grantsOver(own['remoteProjectId'])
              : noGrants,
        createdAt,
      },
      api_key: keyRow({ apiKeyId, userId, organizationId, key: keyOf(own.prefix, name) }),
      session: {
        sessionId,
        tokenHash: hashToken(tokenOf(own.prefix, name)),
        userId,
        organizationId,
        createdAt,
        expiresAt: never,
        ip: '127.0.0.1',
        userAgent: 'test',
      },
    };
  });
  return {
    invitation: invitationsOf(people, own, other),
    two_factor: [
      {
        userId: people.elsewhere.userId,
        secret: hiddenTexts.twoFactor,
        createdAt,
        confirmedAt: createdAt,
        lastStep: 0,
      },
    ],
    recovery_code: [
      { userId: people.elsewhere.userId, codeHash: recoveryCodeHash(people.elsewhere.recoveryCode) },
    ],
    user: rows.map(({ user }) => user),
    member: rows.map(({ member }) => member),
    api_key: rows.map((row) => row.api_key),
    session: rows.map(({ session }) => session),
  };
}

/** Everybody is invited to the organization that they are not in. */
function invitationsOf(people: People, own: Fixtures, other: Fixtures): NonNullable<Rows['invitation']> {
  return personNames.map((name) => ({
    invitationId: `${own.prefix}-invitation-${name}`,
    organizationId: (name === 'stranger' ? own : other).organizationId,
    email: people[name].email,
    role: 'member',
    grants: noGrants,
    tokenHash: hashToken(people[name].invitation),
    invitedBy: people[name === 'stranger' ? 'owner' : 'stranger'].userId,
    status: 'pending',
    expiresAt: never,
    createdAt,
  }));
}

/** A key that nothing limits, unless said otherwise. */
export function keyRow({
  key,
  ...row
}: {
  apiKeyId: string;
  userId: string;
  organizationId: string;
  key: string;
  expiresAt?: number;
  permissions?: Record<string, string[]>;
}): NonNullable<Rows['api_key']>[number] {
  return {
    keyHash: hashToken(key),
    name: 'test',
    prefix: null,
    start: key.slice(0, 8),
    enabled: true,
    createdAt,
    createdAtMs: Date.parse(createdAt),
    lastRequestAt: null,
    rateLimitEnabled: false,
    rateLimitTimeWindow: null,
    rateLimitMax: null,
    windowStart: null,
    windowCount: 0,
    remaining: null,
    refillAmount: null,
    refillInterval: null,
    refillsApplied: 0,
    permissions: null,
    expiresAt: null,
    ...row,
  };
}

/** Every grant there is, over these projects. */
function grantsOver(...projects: (string | undefined)[]): Grants {
  const flags = Object.entries(noGrants).map(([name, value]): [string, unknown] => [
    name,
    value === false ? true : value,
  ]);
  return {
    ...noGrants,
    ...Object.fromEntries(flags),
    accessedProjects: projects.filter((id) => id !== undefined),
  };
}

/** Not a password's hash: whoever signs in with a password needs a world with a real one. */
export const noPassword = hiddenTexts.passwordHash;
