/** Which applications may go to another server. */
import { expect, it } from 'vitest';
import { badField } from '../../domain/errors.ts';
import type { ApplicationRecord, TableRecord } from '../../db/tables.ts';
import { newApplication } from './defaults.ts';
import { requireMovable, type MovingNeighbours } from './moving.ts';
import { plainServer } from '../../../../test/world/plain-server.ts';

const identity = {
  applicationId: 'a',
  organizationId: 'o',
  environmentId: 'e',
  name: 'shop',
  appName: 'shop',
  description: '',
  refreshToken: '',
  createdAt: '',
};
const application: ApplicationRecord = {
  ...newApplication(identity),
  serverId: 'here',
  liveDeploymentId: 'd',
};
const server: TableRecord<'server'> = {
  ...plainServer,
  serverId: 'there',
  organizationId: 'o',
  name: 'frankfurt',
  ipAddress: '192.0.2.1',
  setupStatus: 'done',
  createdAt: '',
};

const movable = (
  neighbours: Partial<MovingNeighbours> = {},
  change: Partial<ApplicationRecord> = {},
  reachesHost = false,
) =>
  requireMovable(
    {
      server: async () => server,
      requireServer: async () => undefined,
      mounts: async () => [{ type: 'file', mountPath: '/etc/app.conf' }],
      ports: async () => [],
      published: { requireFree: async () => undefined },
      previews: async () => [],
      domains: { requireFreeOn: async () => undefined },
      ...neighbours,
    },
    { ...application, ...change },
    'there',
    { reaches: () => true, hasHostReach: async () => reachesHost },
  );

it('goes where nothing stands against it, and is told the name', async () => {
  expect(await movable()).toBe('frankfurt');
});

const inactive = { server: async () => ({ ...server, status: 'inactive' as const }) };
const keeps = (type: 'volume' | 'bind') => ({ mounts: async () => [{ type, mountPath: '/data' }] });

it.each<[string, Partial<MovingNeighbours>, Partial<ApplicationRecord>, string, string]>([
  ['to where it is', {}, { serverId: 'there' }, 'BAD_REQUEST', 'names the server that shop is on'],
  ['to a server not set up', inactive, {}, 'BAD_REQUEST', 'frankfurt, which is not set up yet'],
  ['with a volume', keeps('volume'), {}, 'PRECONDITION_FAILED', 'the volume at /data), which does not move'],
  ['with a bind', keeps('bind'), {}, 'PRECONDITION_FAILED', 'the bind at /data), which does not move'],
  ['with previews', { previews: async () => [{}] }, {}, 'PRECONDITION_FAILED', 'Remove them first'],
  [
    'to a server that its rules keep it from',
    { requireServer: async () => Promise.reject(badField('serverId', 'names builders, a build server')) },
    {},
    'BAD_REQUEST',
    'a build server',
  ],
])('is refused %s', async (_what, neighbours, change, code, words) => {
  await expect(movable(neighbours, change)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(words),
  });
});

const port: TableRecord<'port'> = {
  portId: 'p',
  organizationId: 'o',
  applicationId: 'a',
  publishedPort: 9000,
  targetPort: 3000,
  protocol: 'tcp',
  publishMode: 'host',
  serverKey: 'here',
  createdAt: '',
};

it('needs its ports free there', async () => {
  const asked: unknown[] = [];
  const requireFree = async (wanted: object): Promise<void> => void asked.push(wanted);
  await movable({ ports: async () => [port], published: { requireFree } });
  expect(asked).toMatchObject([{ port: 9000, protocol: 'tcp', serverId: 'there', holderId: 'p' }]);
});

it('takes a port below 1024 along by whoever may reach the machine alone', async () => {
  const ports = async (): Promise<TableRecord<'port'>[]> => [port, { ...port, publishedPort: 53 }];
  for (const change of [{}, { liveDeploymentId: null }])
    await expect(movable({ ports }, change)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('shop publishes the port 53/tcp, below 1024'),
    });
  expect(await movable({ ports }, {}, true)).toBe('frankfurt');
});

it('without a release may wait for a server and has no data yet, but folders of the server', async () => {
  const never = { liveDeploymentId: null };
  expect(await movable({ ...inactive, ...keeps('volume') }, never)).toBe('frankfurt');
  await expect(movable(keeps('bind'), never)).rejects.toThrow('the bind at /data');
});
