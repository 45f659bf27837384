/**
 * Every input field that reaches the machine itself × every caller, through both forms, against the started
 * program: only people with host reach come past the guard, and a harmless value is nobody's loss.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HostReachCondition } from '../../server/src/procedure/host-reach.ts';
import { hostReachAction } from '../../server/src/procedure/host-reach.ts';
import { actionOf } from '../../server/src/procedure/procedure.ts';
import { callerOf, procedures, valueOf } from '../e2e/fixtures/caller.ts';
import { textOf } from '../http/interface-client.ts';
import { idOf, inputFor } from '../world/inputs.ts';
import type { PersonName } from '../world/people.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';

let program: Program;
let installation: World;
let tenant: World;
let trusted: World;
/** Keys of the installation's Owner, narrowed to the procedures' actions without and with host reach. */
let narrowed: Record<'without' | 'with', Record<string, string>>;

const fields = procedures.flatMap((procedure) =>
  (procedure.procedure.access.hostReach ?? []).map((reach) => ({ procedure, ...reach })),
);

/** Values that reach the machine, in every way of writing them. */
const values: Record<HostReachCondition, readonly unknown[]> = {
  given: ['/srv/shop', 'anything'],
  absolutePath: ['/srv/backups', ' /srv'],
  localRepository: ['/srv/git/a.git', 'file:///srv/git/a.git', 'FILE:///srv/git/a.git'],
  below1024: [53, 1023],
};
/** Values of the same field that do not. */
const harmless: Record<HostReachCondition, unknown> = {
  given: null,
  absolutePath: 'daily',
  localRepository: 'https://127.0.0.1:1/none.git',
  below1024: 40_000,
};

beforeAll(async () => {
  const started = await startWithWorlds(2, { withPasswords: true });
  ({ program, first: installation } = started);
  const [one, other] = started.worlds;
  if (!one || !other) throw new Error('There are too few worlds.');
  [tenant, trusted] = [one, other];
  const owner = callerOf(program.url, installation.people.owner.byKey);
  await valueOf(
    owner('organization.setTrusted', { organizationId: trusted.own.organizationId, trusted: true }),
  );
  narrowed = { without: await narrowKey([]), with: await narrowKey([hostReachAction]) };
});
afterAll(() => program[Symbol.asyncDispose]());

async function narrowKey(besides: readonly string[]): Promise<Record<string, string>> {
  const routers = Map.groupBy(fields, ({ procedure: { router } }) => router);
  const made = await valueOf(
    callerOf(program.url, { ...installation.people.owner.bySession, origin: program.url })(
      'user.createApiKey',
      {
        name: 'narrow',
        metadata: { organizationId: installation.own.organizationId },
        permissions: Object.fromEntries(
          [...routers].map(([router, own]) => [
            router,
            [...new Set([...own.map(({ procedure }) => actionOf(procedure.procedure)), ...besides])],
          ]),
        ),
      },
    ),
  );
  const key = typeof made === 'object' && made !== null && 'key' in made ? String(made.key) : '';
  return { 'x-api-key': key };
}

interface Caller {
  title: string;
  world(): World;
  who: PersonName;
  headers?(): Record<string, string>;
  reaches: boolean;
}

const callers: readonly Caller[] = [
  { title: "installation's Owner", world: () => installation, who: 'owner', reaches: true },
  { title: "installation's Admin", world: () => installation, who: 'admin', reaches: true },
  { title: "installation's Member", world: () => installation, who: 'granted', reaches: false },
  {
    title: 'narrowed key without host reach',
    world: () => installation,
    who: 'owner',
    headers: () => narrowed.without,
    reaches: false,
  },
  {
    title: 'narrowed key with host reach',
    world: () => installation,
    who: 'owner',
    headers: () => narrowed.with,
    reaches: true,
  },
  { title: "tenant's Owner", world: () => tenant, who: 'owner', reaches: false },
  { title: "tenant's Admin", world: () => tenant, who: 'admin', reaches: false },
  { title: "tenant's Member", world: () => tenant, who: 'granted', reaches: false },
  { title: "trusted organization's Owner", world: () => trusted, who: 'owner', reaches: true },
  { title: "trusted organization's Admin", world: () => trusted, who: 'admin', reaches: true },
  { title: "trusted organization's Member", world: () => trusted, who: 'granted', reaches: false },
];

const refused = /would reach the server itself/;

it.each(callers)('$title', async ({ title, world, who, headers, reaches }) => {
  const call = callerOf(program.url, headers?.() ?? world().people[who].byKey);
  const faults: string[] = [];
  let asked = 0;
  for (const { procedure, field, when } of fields) {
    // A member may not manage destinations at all.
    const mayCall = !(who === 'granted' && procedure.procedure.access.class !== 'protected');
    const own = world().own;
    const subject = procedure.path === 'mount.create' ? { type: 'bind' } : {};
    for (const value of [...values[when], harmless[when]]) {
      const input = {
        ...inputFor(procedure, { world: world(), who }),
        ...(procedure.router === 'destination' ? { provider: 'local' } : subject),
        ...('destinationId' in inputFor(procedure, { world: world(), who })
          ? { destinationId: idOf(own, 'destination') }
          : {}),
        [field]: value,
      };
      for (const form of ['a', 'b'] as const) {
        asked += 1;
        const { status, text } = await call(procedure.path, input, form);
        const isRefused = status === 403 && refused.test(text) && text.includes(field);
        const shouldBe = mayCall && !reaches && value !== harmless[when];
        if (isRefused !== shouldBe || (!mayCall && status !== 403))
          faults.push(
            `${procedure.path} ${field}=${String(value)} (${form}): ${status} ${text.slice(0, 200)}`,
          );
      }
    }
  }
  console.log(`host reach: ${title}: ${asked} calls with ${fields.length} fields`);
  expect(fields.length).toBeGreaterThanOrEqual(18);
  expect(faults).toEqual([]);
});

it('is a tenant’s on a trusted server of their own, for what stands there and nothing else', async () => {
  const { people, own } = tenant;
  const call = callerOf(program.url, people.owner.byKey);
  const installer = callerOf(program.url, installation.people.owner.byKey);
  const idFrom = (value: unknown, field: string): string =>
    typeof value === 'object' && value !== null ? String(Reflect.get(value, field)) : '';
  const serverId = idFrom(
    await valueOf(
      call('server.create', {
        name: 'Own',
        ipAddress: '203.0.113.77',
        port: 22,
        username: 'root',
        serverType: 'deploy',
      }),
    ),
    'serverId',
  );
  await valueOf(call('server.trustHostKey', { serverId, fingerprint: `SHA256:${'a'.repeat(43)}` }));
  const create = async (name: string, place: object): Promise<string> =>
    idFrom(
      await valueOf(call('application.create', { name, environmentId: idOf(own, 'environment'), ...place })),
      'applicationId',
    );
  const there = await create('There', { serverId });
  const here = await create('Here', {});
  const isRefused = async (applicationId: string, publishedPort: number, by = call): Promise<boolean> => {
    const { status, text } = await by('port.create', {
      applicationId,
      publishedPort,
      targetPort: 80,
      protocol: 'udp',
    });
    return status === 403 && refused.test(text);
  };
  expect(await isRefused(there, 53), 'not trusted yet').toBe(true);
  await valueOf(installer('server.setTrusted', { serverId, trusted: true }));
  expect(await isRefused(there, 53)).toBe(false);
  expect(await isRefused(here, 54), "Berth's own machine").toBe(true);
  expect(await isRefused(there, 55, callerOf(program.url, people.granted.byKey)), 'nor a Member').toBe(true);
  const repository = await call('application.update', {
    applicationId: there,
    customGitUrl: '/srv/git/a.git',
  });
  expect(repository.text).toMatch(refused);
  const destination = await call('destination.create', {
    name: 'Folder',
    provider: 'local',
    path: '/srv/backups',
  });
  expect(destination.text).toMatch(refused);
  await valueOf(installer('server.setTrusted', { serverId, trusted: false }));
  expect(await isRefused(there, 56), 'no longer').toBe(true);
});

it('on a trusted server is a tenant’s for folders, files and moves as well', async () => {
  const { people, own } = tenant;
  const call = callerOf(program.url, people.owner.byKey);
  const installer = callerOf(program.url, installation.people.owner.byKey);
  const environmentId = idOf(own, 'environment');
  const made = async (path: string, field: string, input: object): Promise<string> =>
    textOf(await valueOf(call(path, input)), field);
  const server = { port: 22, username: 'root', serverType: 'deploy' };
  const serverId = await made('server.create', 'serverId', {
    ...server,
    name: 'Also own',
    ipAddress: '203.0.113.78',
  });
  await valueOf(call('server.trustHostKey', { serverId, fingerprint: `SHA256:${'b'.repeat(43)}` }));
  const composeId = await made('compose.create', 'composeId', { name: 'File', environmentId, serverId });
  const applicationId = await made('application.create', 'applicationId', {
    name: 'Binder',
    environmentId,
    serverId,
  });
  const bind = { type: 'bind', hostPath: '/srv/shop', mountPath: '/shop', serviceId: applicationId };
  const said = async (path: string, input: object, by = call): Promise<string> => {
    const { status, text } = await by(path, input);
    return status === 403 && /reach the server itself/.test(text) ? 'refused' : String(status);
  };
  const approve = ['compose.approve', { composeId, digest: '0'.repeat(64) }] as const;
  expect([await said(...approve), await said('mount.create', bind)]).toEqual(['refused', 'refused']);
  await valueOf(installer('server.setTrusted', { serverId, trusted: true }));
  // Past the guard: nothing waits for approval, and no engine is there to look at the folder.
  expect(await said(...approve)).toBe('409');
  expect(await said('mount.create', bind)).not.toBe('refused');
  const key = await valueOf(
    callerOf(program.url, { ...people.owner.bySession, origin: program.url })('user.createApiKey', {
      name: 'narrow',
      metadata: { organizationId: own.organizationId },
      permissions: { compose: ['read', 'write', 'deploy'] },
    }),
  ).then((value) => textOf(value, 'key'));
  expect(await said(...approve, callerOf(program.url, { 'x-api-key': key })), 'a narrowed key').toBe(
    'refused',
  );
});

it('met nothing unexpected', () => expect(program.faults()).toEqual([]));
