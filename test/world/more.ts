/**
 * Many more of everything in a world's organization: projects beside its own, and environments, services and
 * what hangs on them inside.
 */
import type { Database } from '../../server/src/db/database.ts';
import { noGrants } from '../../server/src/domain/access/permissions.ts';
import { hashToken } from '../../server/src/ports/token.ts';
import { fixturesOf, type Fixtures, type Rows } from './fixtures.ts';
import { rowsOfFixtures } from './fixtures-rows.ts';
import { keyRow, noPassword } from './people.ts';
import { insertRows } from './seed.ts';
import type { World } from './world.ts';

/** Numbers of sets that no world has. */
const firstNumber = 5000;

export async function addMore(database: Database, world: World, times: number): Promise<void> {
  await insertRows(
    database,
    Array.from({ length: times }, (_, index) => moreOf(world, index)),
  );
}

function moreOf({ own, people }: World, index: number): Rows {
  const prefix = `more${index}`;
  const { organization, ...rows } = rowsOfFixtures(fixturesOf(prefix), firstNumber + index);
  const moved: Record<string, object[]> = {};
  for (const [table, records] of Object.entries(rows))
    moved[table] = records.map((record) => ({ ...record, ...placeIn(own, table, record, index) }));
  return {
    ...moved,
    organization,
    ...peopleRows(prefix, own.organizationId, people.owner.userId),
  };
}

const createdAt = '2026-06-03T00:00:00.000Z';

/** Somebody else in the organization, the owner in another one, and what both leave behind. */
function peopleRows(prefix: string, organizationId: string, userId: string): Rows {
  return {
    user: [
      {
        userId: `${prefix}-user`,
        email: `${prefix}@example.com`,
        name: prefix,
        passwordHash: noPassword,
        createdAt,
      },
    ],
    member: [
      {
        memberId: `${prefix}-member`,
        organizationId,
        userId: `${prefix}-user`,
        role: 'member',
        grants: noGrants,
        createdAt,
      },
      {
        memberId: `${prefix}-owner`,
        organizationId: `${prefix}-organization`,
        userId,
        role: 'owner',
        grants: noGrants,
        createdAt,
      },
    ],
    api_key: [keyRow({ apiKeyId: `${prefix}-key`, userId, organizationId, key: `berth_${prefix}` })],
    session: [
      {
        sessionId: `${prefix}-session`,
        tokenHash: hashToken(`session-${prefix}`),
        userId,
        organizationId,
        createdAt,
        expiresAt: 4_000_000_000_000,
        ip: '127.0.0.1',
        userAgent: 'test',
      },
    ],
    audit: [
      {
        auditId: `${prefix}-audit`,
        organizationId,
        at: createdAt,
        userId,
        apiKeyId: null,
        procedure: 'project.create',
        resourceId: null,
        outcome: 'done',
        ip: '127.0.0.1',
      },
    ],
  };
}

/** Where the row of another set stands in this one. */
function placeIn(own: Fixtures, table: string, record: object, index: number): object {
  const inOrganization = { organizationId: own.organizationId };
  switch (table) {
    case 'service_name':
      return {};
    case 'environment':
      return {
        ...inOrganization,
        ...(Reflect.get(record, 'name') === 'staging'
          ? { projectId: own['projectId'], name: `staging-${index}` }
          : {}),
      };
    case 'application':
    case 'database':
    case 'compose':
      return { ...inOrganization, environmentId: own['environmentId'] };
    case 'deployment':
    case 'port':
    case 'redirect':
      return { ...inOrganization, applicationId: own['applicationId'] };
    case 'preview_deployment':
      return { ...inOrganization, applicationId: own['applicationId'], pullRequestNumber: 100 + index };
    case 'domain':
      return {
        ...inOrganization,
        ...(Reflect.get(record, 'applicationId') === null ? {} : { applicationId: own['applicationId'] }),
      };
    case 'mount':
      return { ...inOrganization, applicationId: own['applicationId'], mountPath: `/data-${index}` };
    case 'basic_auth':
      return { ...inOrganization, applicationId: own['applicationId'], username: `visitor-${index}` };
    case 'backup':
      return {
        ...inOrganization,
        ...(Reflect.get(record, 'databaseId') === null
          ? { applicationId: own['applicationId'] }
          : { databaseId: own['mysqlId'] }),
      };
    case 'certificate_resolver':
      return { ...inOrganization, name: `internal-${index}` };
    default:
      return inOrganization;
  }
}
