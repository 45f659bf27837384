/** SQL of organizations, members and invitations. */
import { sql, type CompiledQuery } from 'kysely';
import type { Database } from '../../db/database.ts';
import { fixedLimit } from '../../db/values/fixed-limit.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { TableName, TableRecord } from '../../db/tables.ts';
import type { Role } from '../../domain/access/permissions.ts';

export type OrganizationRecord = TableRecord<'organization'>;
export type MemberRecord = TableRecord<'member'>;
export type InvitationRecord = TableRecord<'invitation'>;

export interface OrganizationStore extends TableStore<'organization'> {
  /** The installation's first. */
  first(): Promise<string | undefined>;
  /** Those the user belongs to, newest first. */
  ofUser(userId: string): Promise<(OrganizationRecord & { role: Role })[]>;
  /** How many of each kind stand in it; kinds of which there is none are left out. */
  contents(organizationId: string): Promise<{ kind: ContentKind; count: number }[]>;
  /**
   * Makes other changes of its members wait until the transaction ends; `removal` makes whatever would stand
   * in it wait too. SQLite has one writer anyway.
   */
  hold(organizationId: string, why: 'members' | 'removal'): Promise<void>;
}

/** What keeps an organization from being deleted, with its words. */
export const contentWords = {
  project: ['project', 'projects'],
  server: ['server', 'servers'],
  certificate: ['certificate', 'certificates'],
  certificate_resolver: ['certificate resolver', 'certificate resolvers'],
  certificate_order: ['certificate order', 'certificate orders'],
  dns_provider: ['DNS provider', 'DNS providers'],
  ssh_key: ['SSH key', 'SSH keys'],
  registry: ['image registry', 'image registries'],
  destination: ['backup destination', 'backup destinations'],
  git_provider: ['git provider', 'git providers'],
} as const satisfies Partial<Record<TableName, readonly [string, string]>>;
export type ContentKind = keyof typeof contentWords;

const contentKinds = Object.keys(contentWords).filter((name): name is ContentKind => name in contentWords);

export function createOrganizationStore(database: Database): OrganizationStore {
  const { builder } = database;
  const table = tableStore(database, 'organization');
  const first = builder
    .selectFrom('organization')
    .select('organizationId')
    .orderBy('createdAt')
    .orderBy('organizationId')
    .limit(fixedLimit(1))
    .compile();
  const ofUser = builder
    .selectFrom('organization')
    .innerJoin('member', 'member.organizationId', 'organization.organizationId')
    .selectAll('organization')
    .select('member.role')
    .where('member.userId', '=', '')
    .orderBy('organization.createdAt', 'desc')
    .orderBy('organization.organizationId', 'desc')
    .compile();
  const counts = sql.join(
    contentKinds.map(
      (kind) =>
        sql`select ${sql.lit(kind)} as "kind", count(*) as "count" from ${sql.table(kind)}
          where "organizationId" = ${''}`,
    ),
    sql` union all `,
  );
  const contents: CompiledQuery<{ kind: ContentKind; count: number }> = sql<{
    kind: ContentKind;
    count: number;
  }>`${counts}`.compile(builder);
  const row = builder.selectFrom('organization').select('organizationId').where('organizationId', '=', '');
  const holds = { members: row.forNoKeyUpdate().compile(), removal: row.forUpdate().compile() };
  return {
    ...table,
    first: async () => (await database.run(first))[0]?.organizationId,
    ofUser: async (userId) =>
      (await database.run(ofUser, [userId])).map((found) =>
        Object.assign(table.decode(found), { role: found.role }),
      ),
    contents: async (organizationId) =>
      (
        await database.run(
          contents,
          contentKinds.map(() => organizationId),
        )
      )
        .map(({ kind, count }) => ({ kind, count: Number(count) }))
        .filter(({ count }) => count > 0),
    hold: async (organizationId, why) => {
      if (database.dialect === 'postgres') await database.run(holds[why], [organizationId]);
    },
  };
}

export interface MemberStore extends TableStore<'member'> {
  /** The member, held against changes by others until the transaction ends. */
  hold(userId: string, organizationId: string): Promise<MemberRecord | undefined>;
  /** With their accounts, newest first. */
  withAccounts(organizationId: string): Promise<(MemberRecord & { name: string; email: string })[]>;
  countOwners(organizationId: string): Promise<number>;
  /** Ids of all that grants can name in the organization. */
  grantable(organizationId: string): Promise<Set<string>>;
}

export function createMemberStore(database: Database): MemberStore {
  const { builder } = database;
  const table = tableStore(database, 'member');
  const one = builder
    .selectFrom('member')
    .selectAll()
    .where('userId', '=', '')
    .where('organizationId', '=', '');
  const held = (database.dialect === 'postgres' ? one.forNoKeyUpdate() : one).compile();
  const accounts = builder
    .selectFrom('member')
    .innerJoin('user', 'user.userId', 'member.userId')
    .selectAll('member')
    .select(['user.name', 'user.email'])
    .where('member.organizationId', '=', '')
    .orderBy('member.createdAt', 'desc')
    .orderBy('member.memberId', 'desc')
    .compile();
  const owners = builder
    .selectFrom('member')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('organizationId', '=', '')
    .where('role', '=', 'owner')
    .compile();
  const grantableTables = {
    project: 'projectId',
    environment: 'environmentId',
    application: 'applicationId',
    compose: 'composeId',
    database: 'databaseId',
  } as const;
  const things = Object.entries(grantableTables).map(
    ([name, key]) =>
      sql`select ${sql.ref(key)} as "id" from ${sql.table(name)} where "organizationId" = ${''}`,
  );
  const grantable = sql<{ id: string }>`${sql.join(things, sql` union all `)}`.compile(builder);
  return {
    ...table,
    async hold(userId, organizationId) {
      const [row] = await database.run(held, [userId, organizationId]);
      return row && table.decode(row);
    },
    withAccounts: async (organizationId) =>
      (await database.run(accounts, [organizationId])).map((row) =>
        Object.assign(table.decode(row), { name: row.name, email: row.email }),
      ),
    countOwners: async (organizationId) =>
      Number((await database.run(owners, [organizationId, 'owner']))[0]?.count ?? 0),
    grantable: async (organizationId) =>
      new Set(
        (
          await database.run(
            grantable,
            things.map(() => organizationId),
          )
        ).map(({ id }) => id),
      ),
  };
}

export interface InvitationStore extends TableStore<'invitation'> {
  /** Uses an open invitation up; false when it is open no more. `now` in ms. */
  claim(invitationId: string, now: number): Promise<boolean>;
  isMember(email: string, organizationId: string): Promise<boolean>;
  /** Removes those that ended before `time` (epoch ms), however they ended. */
  prune(time: number): Promise<void>;
}

export function createInvitationStore(database: Database): InvitationStore {
  const { builder } = database;
  const claim = builder
    .updateTable('invitation')
    .set({ status: 'accepted' })
    .where('invitationId', '=', '')
    .where('status', '=', 'pending')
    .where('expiresAt', '>', 0)
    .compile();
  const members = builder
    .selectFrom('member')
    .innerJoin('user', 'user.userId', 'member.userId')
    .select('member.memberId')
    .where('user.email', '=', '')
    .where('member.organizationId', '=', '')
    .compile();
  const prune = builder.deleteFrom('invitation').where('expiresAt', '<', 0).compile();
  return {
    ...tableStore(database, 'invitation'),
    claim: async (invitationId, now) =>
      (await database.change(claim, ['accepted', invitationId, 'pending', now])) === 1,
    isMember: async (email, organizationId) =>
      (await database.run(members, [email, organizationId])).length > 0,
    prune: async (time) => {
      await database.change(prune, [time]);
    },
  };
}
