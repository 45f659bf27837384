/** What reaches the machine is judged at every deployment, by who approved it and for what. */
import { beforeEach, describe, expect, it } from 'vitest';
import { hostReachOn, placesHere } from '../../../../test/http/host-reach.ts';
import { createPeople, type People } from '../../../../test/http/people.ts';
import { createPlace, type Place } from '../../../../test/http/places.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores, type Stores } from '../../composition/stores.ts';
import type { Database } from '../../db/database.ts';
import { localServer } from '../../domain/names/server-key.ts';
import { applicationRef, composeRef, previewRef, type ServiceRef } from '../../domain/names/service-ref.ts';
import { createServers } from '../../modules/server/server.ts';
import { createMounts } from '../../modules/mount/mount.ts';
import type { HostReach } from '../../modules/host-reach/host-reach.ts';
import { systemClock } from '../../ports/clock.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import { plainCompose } from '../../../../test/world/plain-compose.ts';
import { releasedOn } from '../released-specs.ts';
import { writeSnapshot } from '../snapshot.ts';
import { createJudge, type Judge } from './judged-engine.ts';
import { plainServer } from '../../../../test/world/plain-server.ts';
import { plainDeployment } from '../../../../test/world/plain-deployment.ts';

const plain: ServiceSpec = {
  name: 'shop',
  image: 'nginx:1',
  labels: {},
  release: 'release-new',
  env: [],
  networks: [],
  replicas: 1,
  limits: {},
  reservations: {},
  mounts: [],
  files: [],
  ports: [],
  updateOrder: 'start-first',
  monitorMs: 0,
  stopGracePeriodMs: 0,
  constraints: [],
};
const serverRow = (serverId: string, organizationId: string) =>
  ({
    ...plainServer,
    serverId,
    organizationId,
    name: serverId,
    ipAddress: '203.0.113.9',
    hostKeyFingerprint: 'SHA256:x',
    setupStatus: 'done',
    createdAt: '',
  }) as const;
const bind = (source: string) => ({ type: 'bind', source, target: '/data' }) as const;

eachDatabase('the wall before the engine', (test) => {
  let database: Database;
  let stores: Stores;
  let people: People;
  let place: Place;
  let foreign: Place;
  let hostReach: HostReach;
  let judge: Judge;
  /** Of a machine that the service is not placed on, as while it moves there. */
  let judgeElsewhere: Judge;
  /** What live releases run, by their ids. */
  const released = new Map<string, ServiceSpec[]>();

  beforeEach(async () => {
    released.clear();
    database = await test.open();
    stores = createStores(database);
    people = await createPeople(database);
    place = await createPlace(database, people.owner, 'Shop');
    foreign = await createPlace(database, people.stranger, 'Rival');
    hostReach = hostReachOn(database, ['/var/lib/berth']);
    const parts = {
      approvals: hostReach,
      places: placesHere(['/var/lib/berth']),
      own: { probePath: '/var/lib/berth/probe/busybox', keptFolder: '/var/lib/berth/composes' },
      released: async (_service: ServiceRef, deploymentId: string) => released.get(deploymentId) ?? [],
    };
    judge = createJudge({ ...parts, serverKey: localServer });
    judgeElsewhere = createJudge({ ...parts, serverKey: 'another-server' });
  });

  const labelsOf = ({ kind, serviceId }: ServiceRef): Record<string, string> => ({
    [kind === 'previewDeployment' ? 'berth.preview' : `berth.${kind}`]: serviceId,
  });
  const judged = async (service: ServiceRef, spec: Partial<ServiceSpec>, by = judge): Promise<string> => {
    try {
      await by({ ...plain, ...spec, labels: { ...spec.labels, ...labelsOf(service) } });
      return 'let through';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const ours = (): ServiceRef => applicationRef(place.applicationId);
  const withBind = (): Promise<string> => judged(ours(), { mounts: [bind('/srv/shop')] });
  const approve = (): Promise<unknown> =>
    createMounts(stores.mounts, {
      clock: systemClock,
      approve: hostReach.bindApproval,
      released: async () => [],
    }).create(
      people.owner,
      { serviceId: place.applicationId, serviceType: 'application' },
      {
        type: 'bind',
        hostPath: '/srv/shop',
        mountPath: '/data',
        volumeName: null,
        filePath: null,
        content: null,
      },
    );

  it('lets a bind through that somebody with host reach made, for this service and path', async () => {
    expect(await withBind()).toMatch(
      /it binds \/srv\/shop of the server.*mount\.update \{mountId, hostPath\}/s,
    );
    await approve();
    expect(await withBind()).toBe('let through');
    expect(await judged(ours(), { mounts: [bind('/srv')] })).toContain('binds /srv of');
    expect(await judged(applicationRef(foreign.applicationId), { mounts: [bind('/srv/shop')] })).toContain(
      'binds /srv/shop',
    );
    expect(await judged(previewRef('preview'), { mounts: [bind('/srv/shop')] })).toContain('binds /srv/shop');
    expect(
      await judged(ours(), {
        mounts: [bind('/srv/shop')],
        container: { capabilitiesAdded: ['CAP_SYS_ADMIN'] },
      }),
    ).toMatch(/^(?!.*binds).*adds the capability CAP_SYS_ADMIN/s);
  });

  it('refuses what was approved for another machine', async () => {
    await approve();
    const spec = { mounts: [bind('/srv/shop')] };
    expect(await judged(ours(), spec, judgeElsewhere)).toContain('binds /srv/shop');
    expect(await judged(ours(), {}, judgeElsewhere)).toBe('let through');
    // Moved by whoever may not approve, the record takes no approval along.
    await stores.applications.update({}, { serverId: 'another-server' });
    expect(await judged(ours(), spec, judgeElsewhere)).toContain('binds /srv/shop');
  });

  it("refuses Berth's data to everybody, whatever was approved", async () => {
    await approve();
    await stores.mounts.update(
      { applicationId: place.applicationId },
      {
        approval: await hostReach.approval(
          ours(),
          [{ service: '*', what: 'bind', value: '/var/lib/berth', access: 'writable' }],
          people.owner,
        ),
      },
    );
    for (const path of ['/var/lib/berth', '/var/lib/berth/composes/x', '/', '/proc/self/root/var/lib/berth'])
      expect(await judged(ours(), { mounts: [bind(path)] })).toMatch(
        /controls this server|through a process/,
      );
  });

  describe('an approval', () => {
    const changes: readonly [string, () => Promise<unknown>][] = [
      ['another repository', () => stores.applications.update({}, { repository: 'other' })],
      ['another git link', () => stores.applications.update({}, { githubId: 'other' })],
      ['another kind of source', () => stores.applications.update({}, { sourceType: 'git' })],
      ['another environment', () => stores.applications.update({}, { environmentId: foreign.environmentId })],
    ];
    it.each(changes)('ends with %s, but for a change by somebody who may approve', async (_title, change) => {
      await approve();
      await hostReach.keeping(ours(), people.admin, change);
      expect(await withBind()).toBe('let through');
      await database.transaction(async () => {
        await stores.applications.update({}, { repository: null, githubId: null, sourceType: 'github' });
        await stores.applications.update({}, { environmentId: place.environmentId });
      });
      expect(await withBind()).toContain('nobody entitled to has approved it');
      await stores.mounts.remove({ applicationId: place.applicationId });
      await approve();
      await change();
      expect(await withBind()).toContain('nobody entitled to has approved it');
    });

    it('of an organization ends with the trust in it', async () => {
      const theirs = applicationRef(foreign.applicationId);
      const danger = { service: '*', what: 'bind', value: '/srv', access: 'writable' } as const;
      const mount = await hostReach.approval(theirs, [danger], people.stranger);
      await createMounts(stores.mounts, {
        clock: systemClock,
        approve: async () => mount,
        released: async () => [],
      }).create(
        people.stranger,
        { serviceId: foreign.applicationId, serviceType: 'application' },
        { type: 'bind', hostPath: '/srv', mountPath: '/s', volumeName: null, filePath: null, content: null },
      );
      const isLetThrough = async (): Promise<boolean> =>
        (await judged(theirs, { mounts: [bind('/srv')] })) === 'let through';
      expect(await isLetThrough()).toBe(false);
      await stores.organizations.update(
        { organizationId: people.stranger.organizationId },
        { trusted: true },
      );
      expect(await isLetThrough()).toBe(true);
      expect(await judged(ours(), { mounts: [bind('/srv')] })).toContain('binds /srv');
      await stores.organizations.update(
        { organizationId: people.stranger.organizationId },
        { trusted: false },
      );
      expect(await isLetThrough()).toBe(false);
    });
  });

  it('lets a tenant reach a trusted server of their own, and no other machine', async () => {
    const theirs = applicationRef(foreign.applicationId);
    const { organizationId } = people.stranger;
    const spec = { ports: [{ published: 53, target: 53, protocol: 'udp', mode: 'host' } as const] };
    const trust = (serverId: string, trusted: boolean): Promise<unknown> =>
      stores.servers.update({ serverId }, { trusted });
    const isLetThrough = async (): Promise<boolean> =>
      (await judged(theirs, spec, judgeElsewhere)) === 'let through';
    await stores.servers.insert(serverRow('another-server', organizationId));
    await stores.applications.update(
      { applicationId: foreign.applicationId },
      { serverId: 'another-server' },
    );
    expect(await isLetThrough()).toBe(false);
    await trust('another-server', true);
    expect(await isLetThrough()).toBe(true);
    expect(await judged(theirs, spec), "Berth's own machine").toContain('53/udp');

    const danger = { service: '*', what: 'bind', value: '/srv', access: 'writable' } as const;
    const given = await hostReach.approval(theirs, [danger], people.stranger);
    const known = await hostReach.find(theirs);
    if (!known) throw new Error('It is not known.');
    const holds = (serverKey: string): Promise<boolean> => hostReach.holds(given, { ...known, serverKey });
    expect(await holds('another-server')).toBe(true);
    expect(await holds(localServer)).toBe(false);
    await stores.servers.insert(serverRow('of-others', people.owner.organizationId));
    await trust('of-others', true);
    expect(await holds('of-others')).toBe(false);

    // A head counts only with all nodes of its cluster.
    await stores.servers.insert({
      ...serverRow('node', organizationId),
      clusterServerId: 'another-server',
    });
    expect([await isLetThrough(), await holds('another-server')]).toEqual([false, false]);
    await trust('node', true);
    expect([await isLetThrough(), await holds('another-server')]).toEqual([true, true]);
    await trust('another-server', false);
    expect([await isLetThrough(), await holds('another-server')]).toEqual([false, false]);
  });

  it('lets what runs go on as it is, and nothing more', async () => {
    const mounts = [bind('/srv/shop')];
    await stores.applications.update(
      { applicationId: place.applicationId },
      { liveDeploymentId: 'release-live' },
    );
    released.set('release-live', [{ ...plain, labels: labelsOf(ours()), release: 'release-live', mounts }]);
    expect(await judged(ours(), { mounts, release: 'release-live' })).toBe('let through');
    expect(await judged(ours(), { mounts: [...mounts, bind('/etc')], release: 'release-live' })).toContain(
      '/etc',
    );
    // What the last release of a compose service did not change bears the release that it came with.
    const former = { ...plain, labels: labelsOf(ours()), release: 'release-former', mounts };
    released.set('release-live', [{ ...former, release: 'release-live', mounts: [] }, former]);
    expect(await judged(ours(), { mounts, release: 'release-former' })).toBe('let through');
    expect(await judged(ours(), { mounts, release: 'release-live' })).toContain('binds /srv/shop');
    // A rollback, an upgrade and a restore have a release of their own.
    expect(await judged(ours(), { mounts })).toContain('binds /srv/shop');
    expect(await judged(ours(), { mounts, release: undefined })).toContain('binds /srv/shop');
  });

  it('takes nothing for what runs already on the machine that a server has become', async () => {
    const { organizationId } = people.stranger;
    const { applicationId } = foreign;
    const theirs = applicationRef(applicationId);
    const mounts = [bind('/')];
    const servers = createServers(stores.servers, systemClock);
    const serverId = 'lent';
    await stores.servers.insert(serverRow(serverId, organizationId));
    await stores.applications.update({ applicationId }, { serverId, liveDeploymentId: 'live' });
    const spec = { ...plain, labels: labelsOf(theirs), release: 'live', mounts };
    await stores.deployments.insert({
      ...plainDeployment,
      createdAt: '2026-01-01T00:00:00.000Z',
      deploymentId: 'live',
      organizationId,
      applicationId,
      settings: writeSnapshot({ registryId: null, spec }),
    });
    const there = createJudge({
      approvals: hostReach,
      places: placesHere([]),
      own: { probePath: '', keptFolder: '' },
      serverKey: serverId,
      released: releasedOn(stores, serverId),
    });
    const moves = [
      () => servers.update(serverId, organizationId, { ipAddress: '203.0.113.10' }),
      () => servers.update(serverId, organizationId, { port: 2222 }),
      () => servers.trustHostKey(serverId, organizationId, `SHA256:${'b'.repeat(43)}`),
    ];
    for (const move of moves) {
      await stores.servers.update({ serverId }, { machineSince: null });
      expect(await judged(theirs, { mounts, release: 'live' }, there)).toBe('let through');
      await servers.update(serverId, organizationId, { name: 'Renamed' });
      expect(await judged(theirs, { mounts, release: 'live' }, there)).toBe('let through');
      await move();
      expect(await judged(theirs, { mounts, release: 'live' }, there)).toContain('binds / of the server');
    }
    // What was released there since runs there.
    await stores.deployments.update({ deploymentId: 'live' }, { createdAt: '9999-01-01T00:00:00.000Z' });
    expect(await judged(theirs, { mounts, release: 'live' }, there)).toBe('let through');
  });

  it('lets no approval for a tenant be used on the machine that its server has become', async () => {
    const { organizationId } = people.stranger;
    const { applicationId } = foreign;
    const theirs = applicationRef(applicationId);
    const servers = createServers(stores.servers, systemClock);
    const danger = { service: '*', what: 'bind', value: '/srv', access: 'writable' } as const;
    await stores.servers.insert({ ...serverRow('theirs', organizationId), trusted: true });
    await stores.applications.update({ applicationId }, { serverId: 'theirs' });
    const given = [
      await hostReach.approval(theirs, [danger], people.owner),
      await hostReach.approval(theirs, [danger], people.stranger),
    ];
    const held = async (): Promise<boolean[]> => {
      const known = await hostReach.find(theirs);
      if (!known) throw new Error('It is not known.');
      return Promise.all(given.map((approval) => hostReach.holds(approval, known)));
    };
    expect(await held()).toEqual([true, true]);
    await servers.update('theirs', organizationId, { ipAddress: '203.0.113.10' });
    await stores.servers.update({ serverId: 'theirs' }, { trusted: true });
    expect(await held()).toEqual([false, false]);
    // Who may reach every machine gave it for their own, wherever that is.
    await stores.organizations.update({ organizationId }, { trusted: true });
    expect(await held()).toEqual([false, true]);
  });

  it('lets a port below 1024 through where only people with host reach could set it', async () => {
    const ports = [{ published: 53, target: 53, protocol: 'udp', mode: 'host' }] as const;
    expect(await judged(ours(), { ports: [...ports] })).toBe('let through');
    expect(await judged(applicationRef(foreign.applicationId), { ports: [...ports] })).toMatch(
      /publishes the port 53\/udp, below 1024\. Ports below 1024 are for .*: publish another\. Then/,
    );
    await stores.composes.insert({
      ...plainCompose,
      composeId: 'c',
      name: 'Stack',
      appName: 'stack',
      refreshToken: 't',
      createdAt: '2026-01-01T00:00:00.000Z',
      organizationId: people.owner.organizationId,
      environmentId: place.environmentId,
    });
    expect(await judged(composeRef('c'), { ports: [...ports] })).toMatch(/53\/udp.*compose\.approve/);
  });

  it('leaves what bears no owner to Berth itself', async () => {
    await expect(judge({ ...plain, mounts: [bind('/var/lib/berth/proxy')] })).resolves.toBe(undefined);
  });
});
