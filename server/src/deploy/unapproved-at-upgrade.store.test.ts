import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hostReachOn } from '../../../test/http/host-reach.ts';
import { createPeople } from '../../../test/http/people.ts';
import { createPlace } from '../../../test/http/places.ts';
import { eachDatabase } from '../../../test/store/each-database.ts';
import { writeSnapshot } from './snapshot.ts';
import { unapprovedFile } from '../domain/access/unapproved-services.ts';
import { hostReachAtUpgrade } from './unapproved-at-upgrade.ts';
import { createStores } from '../composition/stores.ts';
import { plainDeployment } from '../../../test/world/plain-deployment.ts';

eachDatabase('the upgrade that brings approvals', (test) => {
  let data: string;
  beforeEach(async () => void (data = await mkdtemp(join(tmpdir(), 'berth-upgrade-'))));
  afterEach(() => rm(data, { recursive: true }));

  it("keeps the binds of the installation's own people, and lists those of tenants", async () => {
    const database = await test.open();
    const stores = createStores(database);
    const people = await createPeople(database);
    const owners = { own: people.owner, theirs: people.stranger };
    for (const [name, person] of Object.entries(owners)) {
      const { applicationId } = await createPlace(database, person, name);
      const { organizationId } = person;
      const mount = { type: 'bind', source: '/srv/shop', target: '/data' } as const;
      await stores.mounts.insert({
        isSecret: false,
        mountId: `mount-${name}`,
        organizationId,
        type: 'bind',
        hostPath: mount.source,
        volumeName: null,
        filePath: null,
        content: null,
        mountPath: mount.target,
        serviceType: 'application',
        applicationId,
        databaseId: null,
        composeId: null,
        approval: null,
        createdAt: '2026-01-01T00:00:00.000Z',
      });
      await stores.deployments.insert({
        ...plainDeployment,
        deploymentId: `deployment-${name}`,
        organizationId,
        applicationId,
        settings: writeSnapshot({
          registryId: null,
          spec: {
            name,
            image: 'nginx:1',
            labels: { 'berth.application': applicationId },
            env: [],
            networks: [],
            replicas: 1,
            limits: {},
            reservations: {},
            mounts: [mount],
            files: [],
            ports: [],
            updateOrder: 'start-first',
            monitorMs: 0,
            stopGracePeriodMs: 0,
            constraints: [],
          },
        }),
        createdAt: '2026-01-01T00:00:00.000Z',
        sequence: name === 'own' ? 1 : 2,
      });
      await stores.applications.update(
        { applicationId },
        { appName: name, liveDeploymentId: `deployment-${name}` },
      );
    }
    const parts = {
      stores,
      hostReach: hostReachOn(database, ['/var/lib/berth']),
      local: {
        probePath: '/probe',
        folders: { data, proxy: '/proxy', composes: '/composes', builders: '/builders' },
      },
      log: { warn: () => undefined },
    };
    expect(await hostReachAtUpgrade({ ...parts, applied: [12] })).toEqual([]);
    const left = {
      kind: 'application',
      appName: 'theirs',
      organizationId: people.stranger.organizationId,
      reaches: 'it binds /srv/shop of the server, writable',
    };
    expect(await hostReachAtUpgrade({ ...parts, applied: [12, 13] })).toEqual([left]);
    expect(JSON.parse(await readFile(join(data, unapprovedFile), 'utf8'))).toEqual([left]);
    expect(await stores.mounts.find({ mountId: 'mount-own' })).toMatchObject({
      approval: { dangers: [{ service: '*', what: 'bind', value: '/srv/shop', access: 'writable' }] },
    });
    expect(await stores.mounts.find({ mountId: 'mount-theirs' })).toMatchObject({ approval: null });
  });
});
