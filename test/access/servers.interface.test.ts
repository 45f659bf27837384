/**
 * What runs names its server: recorded when it is the organization's own, refused when it is not, and
 * required in a cloud installation.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { databaseKindNames } from '../../server/src/domain/database-kind.ts';
import { callerOf } from '../e2e/fixtures/caller.ts';
import { textOf } from '../http/interface-client.ts';
import { certificateChain } from '../world/certificates.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';

let program: Program;
let world: World;
beforeAll(async () => {
  ({ program, first: world } = await startWithWorlds());
});
afterAll(() => program[Symbol.asyncDispose]());

const ask = (path: string, input: object): ReturnType<ReturnType<typeof callerOf>> =>
  callerOf(program.url, world.people.owner.byKey)(path, input);
const application = (change: object): object => ({
  name: 'Far',
  environmentId: world.own['environmentId'],
  ...change,
});
const database = (kind: string): object => ({
  name: 'Far',
  appName: `far-${kind}`,
  databaseName: 'shop',
  databaseUser: 'shop',
  databasePassword: 'readable',
  databaseRootPassword: 'readable',
  environmentId: world.own['environmentId'],
});
const certificate = (change: object): object => ({
  name: 'Far',
  certificateData: certificateChain.certificate,
  privateKey: certificateChain.privateKey,
  ...change,
});

it('is recorded, and a deployment there ends with why it cannot be reached', async () => {
  const serverId = world.own['serverId'];
  const created = await ask('application.create', application({ serverId }));
  expect(created).toMatchObject({ status: 200, body: { serverId } });
  const applicationId = textOf(created.body, 'applicationId');
  expect(await ask('application.deploy', { applicationId })).toMatchObject({ status: 400 });
  expect(
    await ask('application.saveContainerProvider', { applicationId, containerImage: 'nginx:1' }),
  ).toMatchObject({ status: 200 });
  expect(await ask('application.deploy', { applicationId })).toMatchObject({ status: 200 });
  // The SSH key of its record is none.
  await vi.waitFor(
    async () =>
      expect(await ask('application.one', { applicationId })).toMatchObject({
        body: {
          deployments: [
            { status: 'error', errorMessage: expect.stringContaining('The SSH key of the server') },
          ],
          serverId,
        },
      }),
    { timeout: 60_000 },
  );
  expect(await ask('server.remove', { serverId })).toMatchObject({ status: 412 });
});

it("is refused when it is another organization's, or nobody's", async () => {
  for (const [serverId, status] of [
    [world.foreign['serverId'], 403],
    ['nowhere', 404],
  ] as const) {
    for (const [path, input] of [
      ['application.create', application({ serverId })],
      ['certificate.create', certificate({ serverId })],
      ['domain.generateDomain', { appName: 'far', serverId }],
      ['container.getContainers', { serverId }],
      ['container.restartContainer', { containerId: 'any', serverId }],
      ['server.setup', { serverId }],
      ['server.setupLogs', { serverId }],
    ] as const) {
      expect(await ask(path, input), path).toMatchObject({ status });
    }
  }
});

it('is required in a cloud installation, and named when it is missing', async () => {
  expect(await ask('application.create', application({}))).toMatchObject({
    status: 200,
    body: { serverId: null },
  });
  expect(await ask('settings.update', { cloud: true })).toMatchObject({ status: 200 });
  const withoutServer: readonly (readonly [string, object])[] = [
    ['application.create', application({})],
    ['certificate.create', certificate({ serverId: null })],
    ['compose.create', { name: 'Far', environmentId: world.own['environmentId'] }],
    ...databaseKindNames.map((kind): [string, object] => [`${kind}.create`, database(kind)]),
  ];
  for (const [path, input] of withoutServer) {
    expect(await ask(path, input), path).toMatchObject({
      status: 400,
      body: { error: { code: 'BAD_REQUEST', data: { issues: [{ path: 'serverId' }] } } },
    });
  }
  const serverId = world.own['serverId'];
  const far = await ask('application.create', application({ serverId }));
  expect(far).toMatchObject({ status: 200 });
  // There deployments can be ended whole; elsewhere killBuild and cleanQueues do it.
  const applicationId = textOf(far.body, 'applicationId');
  expect(await ask('application.cancelDeployment', { applicationId })).toMatchObject({
    status: 200,
    body: { success: true },
  });
  expect(await ask('certificate.create', certificate({ serverId }))).toMatchObject({
    status: 200,
    body: { serverId },
  });
  for (const kind of databaseKindNames)
    expect(await ask(`${kind}.create`, { ...database(kind), serverId }), kind).toMatchObject({ status: 200 });
});
