/** SQL of accounts, sessions and keys. */
import { sql, type CompiledQuery } from 'kysely';
import type { Database } from '../../db/database.ts';
import { grants as storedGrants } from '../../db/stored-records.ts';
import { fixedLimit } from '../../db/values/fixed-limit.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableRecord } from '../../db/tables.ts';
import type { Grants, Role } from '../../domain/access/permissions.ts';

export type ApiKeyRecord = TableRecord<'api_key'>;
export type UserRecord = TableRecord<'user'>;
export type SessionRecord = TableRecord<'session'>;
/** A user's place in an organization. */
export type Membership = { role: Role; grants: Grants };
/** The same with whether the organization requires a second factor that the user has not. */
export type Place = Membership & { lacksTwoFactor: boolean };

const keyColumns = [
  'apiKeyId',
  'userId',
  'organizationId',
  'enabled',
  'expiresAt',
  'lastRequestAt',
  'rateLimitEnabled',
  'remaining',
  'permissions',
] as const;

/** A key as a request needs it, with its user's place in the organization. */
export interface KeyWithMember extends Pick<ApiKeyRecord, (typeof keyColumns)[number]>, Membership {}
export interface SessionWithMember extends SessionRecord, Place {}

export interface UserStore {
  users: TableStore<'user'>;
  members: TableStore<'member'>;
  organizations: TableStore<'organization'>;
  keys: TableStore<'api_key'>;
  sessions: TableStore<'session'>;
  twoFactors: TableStore<'two_factor'>;
  recoveryCodes: TableStore<'recovery_code'>;
  /** Uses a step of the user's authenticator app up; false when it, or a later one, was used before. */
  claimStep(userId: string, step: number): Promise<boolean>;
  /** Undefined also when the key's user is no longer a member of its organization. */
  findKey(keyHash: string): Promise<KeyWithMember | undefined>;
  findSession(tokenHash: string): Promise<SessionWithMember | undefined>;
  /** The user's place in an organization, if any. */
  findPlace(userId: string, organizationId: string): Promise<Place | undefined>;
  /**
   * Counts one request against the key's window and budget, exactly, in one statement; false when either is
   * used up. `now` in ms.
   */
  countRequest(apiKeyId: string, now: number): Promise<boolean>;
  hasUsers(): Promise<boolean>;
  /** Makes other sign-ups wait for this transaction; SQLite has one writer anyway. */
  lockUsers(): Promise<void>;
  /** The account, held against changes by others until the transaction ends. */
  holdUser(userId: string): Promise<UserRecord | undefined>;
  /** Ends every session of the user but one; gives how many. */
  endSessions(userId: string, keptSessionId?: string): Promise<number>;
  /** Removes sessions that ended before `now` (epoch ms). */
  pruneSessions(now: number): Promise<void>;
  /** A text hashed with the installation's key. */
  sign(text: string): string;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createUserStore(database: Database): UserStore {
  const keys = tableStore(database, 'api_key');
  const sessions = tableStore(database, 'session');
  const members = tableStore(database, 'member');
  const users = tableStore(database, 'user');
  const { builder } = database;
  const keyQuery = keyWithMember(builder);
  const sessionQuery = sessionWithMember(builder);
  const placeQuery = memberWithPlace(builder);
  const claim = claimedStep(builder);
  const userQuery = builder.selectFrom('user').selectAll().where('userId', '=', '');
  const heldUser = (database.dialect === 'postgres' ? userQuery.forNoKeyUpdate() : userQuery).compile();
  const otherSessions = builder
    .deleteFrom('session')
    .where('userId', '=', '')
    .where('sessionId', '<>', '')
    .compile();
  const anyUser = builder.selectFrom('user').select('userId').limit(fixedLimit(1)).compile();

  const countRequest = countStatement(database);

  return {
    users,
    members,
    keys,
    sessions,
    organizations: tableStore(database, 'organization'),
    async findKey(keyHash) {
      const [row] = await database.run(keyQuery, [keyHash]);
      return row && Object.assign(keys.decode(row), { role: row.role, grants: parseGrants(row.grants) });
    },
    async findSession(tokenHash) {
      const [row] = await database.run(sessionQuery, [tokenHash]);
      return row && Object.assign(sessions.decode(row), placeOf(row));
    },
    async findPlace(userId, organizationId) {
      const [row] = await database.run(placeQuery, [userId, organizationId]);
      return row && placeOf(row);
    },
    twoFactors: tableStore(database, 'two_factor'),
    recoveryCodes: tableStore(database, 'recovery_code'),
    claimStep: async (userId, step) => (await database.change(claim, [step, userId, step])) === 1,
    countRequest: async (apiKeyId, now) => (await database.change(...countRequest(apiKeyId, now))) === 1,
    async holdUser(userId) {
      const [row] = await database.run(heldUser, [userId]);
      return row && users.decode(row);
    },
    endSessions: (userId, keptSessionId = '') => database.change(otherSessions, [userId, keptSessionId]),
    pruneSessions: async (now) => {
      await database.change(builder.deleteFrom('session').where('expiresAt', '<', now).compile());
    },
    hasUsers: async () => (await database.run(anyUser)).length > 0,
    lockUsers: async () => {
      if (database.dialect === 'postgres')
        await database.script('LOCK TABLE "user" IN SHARE ROW EXCLUSIVE MODE');
    },
    sign: (text) => database.cipher.sign(text),
    transaction: (work) => database.transaction(work),
  };
}

/** Statements are compiled once; the values in them are marks. */
function claimedStep(builder: Database['builder']) {
  return builder
    .updateTable('two_factor')
    .set({ lastStep: 0 })
    .where('userId', '=', '')
    .where('lastStep', '<', 0)
    .compile();
}

function keyWithMember(builder: Database['builder']) {
  return builder
    .selectFrom('api_key')
    .innerJoin('member', (join) =>
      join
        .onRef('member.userId', '=', 'api_key.userId')
        .onRef('member.organizationId', '=', 'api_key.organizationId'),
    )
    .select(keyColumns.map((column) => `api_key.${column}` as const))
    .select(['member.role', 'member.grants'])
    .where('api_key.keyHash', '=', '')
    .compile();
}

function sessionWithMember(builder: Database['builder']) {
  return builder
    .selectFrom('session')
    .innerJoin('member', (join) =>
      join
        .onRef('member.userId', '=', 'session.userId')
        .onRef('member.organizationId', '=', 'session.organizationId'),
    )
    .innerJoin('organization', 'organization.organizationId', 'session.organizationId')
    .leftJoin('two_factor', 'two_factor.userId', 'session.userId')
    .selectAll('session')
    .select(placeColumns)
    .where('session.tokenHash', '=', '')
    .compile();
}

const placeColumns = [
  'member.role',
  'member.grants',
  'organization.requireTwoFactor',
  'two_factor.confirmedAt',
] as const;

function memberWithPlace(builder: Database['builder']) {
  return builder
    .selectFrom('member')
    .innerJoin('organization', 'organization.organizationId', 'member.organizationId')
    .leftJoin('two_factor', 'two_factor.userId', 'member.userId')
    .select(placeColumns)
    .where('member.userId', '=', '')
    .where('member.organizationId', '=', '')
    .compile();
}

interface PlaceRow {
  role: Role;
  grants: string;
  requireTwoFactor: number;
  confirmedAt: string | null;
}

function placeOf({ role, grants, requireTwoFactor, confirmedAt }: PlaceRow): Place {
  return {
    role,
    grants: parseGrants(grants),
    lacksTwoFactor: requireTwoFactor === 1 && confirmedAt === null,
  };
}

const parsedGrants = new Map<string, Grants>();

/** Few different grants exist and each request needs them; parsing each text once is enough. */
function parseGrants(text: string): Grants {
  let grants = parsedGrants.get(text);
  if (!grants) {
    if (parsedGrants.size > 1000) parsedGrants.clear();
    grants = storedGrants(JSON.parse(text));
    parsedGrants.set(text, grants);
  }
  return grants;
}

/** A budget beyond this is none; it keeps sums within what both databases and JavaScript count exactly. */
const budgetLimit = 9_000_000_000_000_000;
/** They stand for the values in the statement, which is compiled once. */
const timeMark = -1;
const keyMark = '';

/**
 * Fixed window from the first counted request; refills for every whole interval since creation (decisions 2).
 */
function countStatement(
  database: Database,
): (apiKeyId: string, now: number) => [CompiledQuery<unknown>, unknown[]] {
  // A number from JavaScript is no integer to SQLite; without the cast the division would give fractions of a
  // refill.
  const now = sql`cast(${timeMark} as bigint)`;
  const due = sql`(case when "refillInterval" is null then 0
    else (${now} - "createdAtMs") / "refillInterval" end)`;
  const expired = sql`("windowStart" is null or ${now} - "windowStart" >= "rateLimitTimeWindow")`;
  const sum = sql`(cast("remaining" as numeric)
    + (${due} - "refillsApplied") * cast(coalesce("refillAmount", 0) as numeric))`;
  const limit = sql.lit(budgetLimit);
  const budget = sql`(case when ${sum} > ${limit} then ${limit} else ${sum} end)`;
  const statement = sql`update "api_key" set
    "remaining" = case when "remaining" is null then null else ${budget} - 1 end,
    "refillsApplied" = ${due},
    "windowStart" = case when "rateLimitEnabled" = 0 then null
      when ${expired} then ${now} else "windowStart" end,
    "windowCount" = case when "rateLimitEnabled" = 0 then 0
      when ${expired} then 1 else "windowCount" + 1 end
    where "apiKeyId" = ${keyMark}
      and ("rateLimitEnabled" = 0 or ${expired} or "windowCount" < "rateLimitMax")
      and ("remaining" is null or ${budget} > 0)`.compile(database.builder);
  return (apiKeyId, time) => [
    statement,
    statement.parameters.map((mark) => (mark === timeMark ? time : mark === keyMark ? apiKeyId : mark)),
  ];
}
