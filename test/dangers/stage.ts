/** Berth with its interface on an engine in memory, with people of two organizations. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Stores } from '../../server/src/composition/stores.ts';
import type { Walls } from '../../server/src/composition/hosts/walls.ts';
import { createCipher } from '../../server/src/db/values/cipher.ts';
import { migrate } from '../../server/src/db/migrations.ts';
import { openSqlite } from '../../server/src/db/sqlite.ts';
import { noGrants } from '../../server/src/domain/access/permissions.ts';
import { isoTime, systemClock } from '../../server/src/ports/clock.ts';
import { procedures } from '../e2e/fixtures/caller.ts';
import { inputQuery } from '../http/call.ts';
import { createPeople, type People, type Person } from '../http/people.ts';
import { textOf } from '../http/interface-client.ts';
import { redis } from '../kill-matrix/images.ts';
import type { Machine } from '../kill-matrix/neighbours.ts';
import { createReaper, type Reaper } from '../kill-matrix/reaper.ts';
import { createMachine, untilEnded } from '../kill-matrix/trial.ts';
import { createWorld, type World } from '../kill-matrix/world.ts';

export interface Said {
  status: number;
  body: unknown;
  /** Of the call that queued one. */
  deploymentId: string | undefined;
}

export type Call = (path: string, input?: object) => Promise<Said>;

export interface Party {
  owner: Call;
  admin: Call;
  member: Call;
  organizationId: string;
  environmentId: string;
}

export interface Stage extends AsyncDisposable {
  world: World;
  stores: Stores;
  machine: Machine;
  installation: Party;
  tenant: Party;
  /** An unsigned push, as a git host tells of it. */
  push(kind: 'application' | 'compose', refreshToken: string): Promise<Said>;
  /** Waits for the end of a deployment; its status with what it said. */
  ended(deploymentId: string | undefined): Promise<string>;
  /** What the engine was asked to make or change since the last call, as one text. */
  asked(): string;
  run<T>(work: () => Promise<T>): Promise<T>;
}

export async function createStage(folder: string, walls?: Walls): Promise<Stage> {
  const database = openSqlite({
    path: join(folder, 'berth.sqlite'),
    synchronous: 'NORMAL',
    cipher: createCipher(randomBytes(32)),
  });
  await migrate(database, isoTime(systemClock));
  const { machine, asked } = await listeningMachine();
  const reaper = createReaper(folder, [machine.memory.state]);
  const people = await createPeople(database);
  const world = await reaper.run(() => createWorld(machine, database, folder, reaper, { walls }));
  await reaper.run(() => world.start());
  const send = sender(world, reaper);
  const tenantsMember = await addMember(world, people);
  const [installation, tenant] = [
    await partyOf(world, send, people),
    await partyOf(world, send, { owner: people.stranger, admin: people.stranger, member: tenantsMember }),
  ];
  return {
    world,
    stores: world.stores,
    machine,
    installation,
    tenant,
    asked,
    push: (kind, refreshToken) =>
      send('POST', `/api/deploy${kind === 'compose' ? '/compose' : ''}/${refreshToken}`, {}),
    async ended(deploymentId) {
      if (deploymentId === undefined) return 'none';
      world.wake();
      const { status, errorMessage } = await reaper.run(() => untilEnded(world, deploymentId));
      return status === 'done' ? 'done' : `${status}: ${errorMessage}`;
    },
    run: (work) => reaper.run(work),
    async [Symbol.asyncDispose]() {
      reaper.kill();
      await database.close();
    },
  };
}

/** Keeps what its engine is asked for. */
async function listeningMachine(): Promise<Pick<Stage, 'machine' | 'asked'>> {
  const bare = await createMachine();
  bare.memory.addImage('redis:8', redis('8.0.0'));
  let kept: string[] = [];
  const memory = bare.memory.connect(({ method, body }) => {
    if (method === 'POST' && body !== undefined) kept.push(JSON.stringify(body));
  });
  return {
    machine: { ...bare, memory },
    asked() {
      const all = kept.join('\n');
      kept = [];
      return all;
    },
  };
}

type Send = (
  method: 'GET' | 'POST',
  url: string,
  headers: Record<string, string>,
  payload?: object,
) => Promise<Said>;

const sender =
  (world: World, reaper: Reaper): Send =>
  (method, url, headers, payload) =>
    reaper.run(async () => {
      const asking = { method, url, headers, ...(payload === undefined ? {} : { payload }) };
      const answer = await world.http().inject(asking);
      const deploymentId = answer.headers['x-deployment-id'];
      return {
        status: answer.statusCode,
        body: answer.body === '' ? undefined : JSON.parse(answer.body),
        deploymentId: typeof deploymentId === 'string' ? deploymentId : undefined,
      };
    });

const callOf =
  (send: Send, { headers }: Person): Call =>
  (path, input = {}) =>
    procedures.find((one) => one.path === path)?.procedure.kind === 'mutation'
      ? send('POST', `/api/${path}`, headers, input)
      : send('GET', `/api/${path}${inputQuery(input)}`, headers);

/** A Member of the tenant's organization. */
async function addMember({ stores: { users } }: World, { stranger, newKey }: People): Promise<Person> {
  const userId = 'user-tenants-member';
  const createdAt = isoTime(systemClock);
  await users.users.insert({
    userId,
    email: 'tenants-member@example.com',
    name: 'Member',
    passwordHash: 'none',
    createdAt,
  });
  await users.members.insert({
    memberId: 'member-tenants-member',
    organizationId: stranger.organizationId,
    userId,
    role: 'member',
    grants: noGrants,
    createdAt,
  });
  return newKey({ ...stranger, userId });
}

/** With a project that its Member reaches. */
async function partyOf(
  { stores: { users } }: World,
  send: Send,
  { owner, admin, member }: Pick<People, 'owner' | 'admin' | 'member'>,
): Promise<Party> {
  const { body } = await callOf(send, owner)('project.create', { name: 'Shop' });
  const at = (name: string): unknown =>
    typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
  await users.members.update(
    { userId: member.userId },
    {
      grants: {
        ...noGrants,
        accessedProjects: [textOf(at('project'), 'projectId')],
        canCreateServices: true,
      },
    },
  );
  return {
    owner: callOf(send, owner),
    admin: callOf(send, admin),
    member: callOf(send, member),
    organizationId: owner.organizationId,
    environmentId: textOf(at('environment'), 'environmentId'),
  };
}
