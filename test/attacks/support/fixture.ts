/** A Berth with the installation's organization and a tenant's, each with an Owner and a Member. */
import { createUserStore, type UserStore } from '../../../server/src/modules/user/store.ts';
import { noGrants } from '../../../server/src/domain/access/permissions.ts';
import type { Database } from '../../../server/src/db/database.ts';
import type { Bed } from '../../bed/bed.ts';
import { berthHost, type BerthHost } from '../../e2e/fixtures/berth-host.ts';
import { callerOf, valueOf, type Call } from '../../e2e/fixtures/caller.ts';
import { fieldOf } from '../../e2e/fixtures/one-of-everything.ts';
import { databaseOnHost } from '../../e2e/fixtures/people-on-host.ts';
import { createPeople, type Person } from '../../http/people.ts';
import { textOf } from '../../http/interface-client.ts';

export interface Attacked extends AsyncDisposable {
  berth: BerthHost;
  database: Database;
  installation: Party;
  tenant: Party;
}

export interface Party {
  owner: Call;
  /** Headers of the Owner's calls. */
  headers: Record<string, string>;
  /** Headers of a new session of the Owner's. */
  session(): Promise<Record<string, string>>;
  /** A key of the Owner's that may only this. */
  narrowed(permissions: Record<string, string[]>): Promise<Call>;
  /** Reaches everything of the organization's project. */
  member: Call;
  organizationId: string;
  projectId: string;
  environmentId: string;
}

export async function attackedHost(bed: Bed, name: string, index: number): Promise<Attacked> {
  const berth = await berthHost(bed, name, index);
  const database = await databaseOnHost(bed, berth);
  const people = await createPeople(database);
  const users = createUserStore(database);
  const by = (headers: Record<string, string>): Call => callerOf(berth.url, headers);
  await addTenantsMember(users, people.stranger.organizationId);
  const tenantsMember = await people.newKey({
    ...people.stranger,
    userId: 'user-tenants-member',
  });
  const party = async (person: Person, memberId: string, member: Call): Promise<Party> => {
    const { headers, organizationId } = person;
    const owner = by(headers);
    const made = await valueOf(owner('project.create', { name: `Of ${organizationId}` }));
    const projectId = textOf(fieldOf(made, 'project'), 'projectId');
    await users.members.update(
      { memberId },
      { grants: { ...noGrants, accessedProjects: [projectId], canCreateServices: true } },
    );
    const environmentId = textOf(fieldOf(made, 'environment'), 'environmentId');
    return {
      owner,
      headers,
      session: () => people.session(person, berth.url),
      narrowed: async (permissions) => by((await people.newKey(person, { permissions })).headers),
      member,
      organizationId,
      projectId,
      environmentId,
    };
  };
  return {
    berth,
    database,
    installation: await party(people.owner, 'member-member', by(people.member.headers)),
    tenant: await party(people.stranger, 'member-tenants-member', by(tenantsMember.headers)),
    async [Symbol.asyncDispose]() {
      await database.close();
      await berth.host.kill();
    },
  };
}

let shared: Promise<Attacked> | undefined;
let isAsBuilt = true;

/**
 * The host of files whose attacks leave each other alone: each has services of its own, and sets what it
 * needs of the settings. It ends with the bed. After a file that left out its wall Berth is as built again.
 */
export async function sharedHost(bed: Bed): Promise<Attacked> {
  shared ??= makeShared(bed);
  const world = await shared;
  if (isAsBuilt) return world;
  await world.berth.stop();
  await world.berth.start();
  return world;
}

async function makeShared(bed: Bed): Promise<Attacked> {
  const world = await attackedHost(bed, 'attacked', 38);
  const { berth } = world;
  const start: BerthHost['start'] = async (env, program) => {
    await berth.start(env, program);
    isAsBuilt = program === undefined;
  };
  return { ...world, berth: { ...berth, start }, [Symbol.asyncDispose]: async () => undefined };
}

async function addTenantsMember(users: UserStore, organizationId: string): Promise<void> {
  await users.users.insert({
    userId: 'user-tenants-member',
    email: 'tenants-member@example.com',
    name: 'Member',
    passwordHash: 'none',
    createdAt: '2026-01-01T00:00:00.000Z',
  });
  await users.members.insert({
    memberId: 'member-tenants-member',
    organizationId,
    userId: 'user-tenants-member',
    role: 'member',
    grants: noGrants,
    createdAt: '2026-01-01T00:00:00.000Z',
  });
}
