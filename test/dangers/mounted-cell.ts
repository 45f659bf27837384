/** An application or a database that somebody gives a folder of the machine, and one way of deploying it. */
import { applicationRef, databaseRef, previewRef } from '../../server/src/domain/names/service-ref.ts';
import type { ServiceRef } from '../../server/src/domain/names/service-ref.ts';
import { isoTime, randomId, systemClock } from '../../server/src/ports/clock.ts';
import { textOf } from '../http/interface-client.ts';
import { oldRedis, webImage } from '../kill-matrix/images.ts';
import {
  fromGit,
  good,
  mustBeDone,
  outcomeNow,
  pushed,
  ranBefore,
  reconciled,
  startedAgain,
  trusted,
  type Came,
  type Scene,
} from './scene.ts';
import type { Call, Said } from './stage.ts';
import { hostFolder } from './table.ts';

/** An application or a database with a folder of the machine. */
export async function tryMounted(scene: Scene): Promise<Came> {
  const { stage, cell, party, call } = scene;
  const { owner } = party;
  const service = cell.deployable === 'application' ? await application(scene) : await database(scene);
  const { serviceId, kind } = service;
  const router = kind === 'application' ? 'application' : 'redis';
  const named = { [`${router}Id`]: serviceId };
  const deploy = async (by: Call): Promise<string> => {
    const accepted = good(await by(`${router}.deploy`, named));
    return stage.ended(accepted.deploymentId);
  };
  const mount = (by: Call): Promise<Said> =>
    by('mount.create', {
      serviceId,
      serviceType: kind === 'application' ? 'application' : 'redis',
      type: 'bind',
      hostPath: hostFolder,
      mountPath: '/host',
    });
  const engineName = scene.name;
  try {
    if (ranBefore.has(cell.path)) {
      const first = await trusted(scene, async () => {
        good(await mount(owner));
        const { deploymentId } = good(await owner(`${router}.deploy`, named));
        await mustBeDone(stage.ended(deploymentId));
        return deploymentId;
      });
      const isKept = cell.author === "the installation's Admin" && cell.path !== 'reconcile, ran';
      if (!isKept)
        await stage.run(() =>
          stage.stores.mounts.update(
            { [kind === 'application' ? 'applicationId' : 'databaseId']: serviceId },
            { approval: null },
          ),
        );
      if (cell.path === 'reconcile, ran') return await reconciled(scene, engineName);
      if (cell.path === 'redeploy') {
        stage.asked();
        const again = good(await call(`${router}.${kind === 'application' ? 'redeploy' : 'rebuild'}`, named));
        return outcomeNow(scene, await stage.ended(again.deploymentId));
      }
      if (!isKept) await removeMounts(scene, serviceId);
      await mustBeDone(deploy(owner));
      stage.asked();
      const back = good(await call('deployment.rollback', { deploymentId: first }));
      return outcomeNow(scene, await stage.ended(back.deploymentId));
    }
    await mustBeDone(deploy(owner));
    const atDoor = await mount(call);
    const atTheDoor = atDoor.status === 403;
    // Whoever is refused there is let further in, to see what stands behind.
    if (atTheDoor) await plantMount(scene, service);
    else good(atDoor);
    stage.asked();
    return { ...(await deployed(scene, service, { deploy, engineName })), atTheDoor };
  } finally {
    good(await owner(kind === 'application' ? 'application.delete' : 'redis.remove', named));
  }
}

async function deployed(
  scene: Scene,
  service: ServiceRef,
  { deploy, engineName }: { deploy(by: Call): Promise<string>; engineName: string },
): Promise<Came> {
  const { stage, cell, call, party } = scene;
  const { world } = stage;
  const { serviceId } = service;
  switch (cell.path) {
    case 'reconcile, saved':
      return reconciled(scene, engineName);
    case 'start':
      return service.kind === 'application'
        ? startedAgain(scene, 'application', { applicationId: serviceId })
        : startedAgain(scene, 'redis', { redisId: serviceId });
    case 'webhook':
      return outcomeNow(scene, await pushed(scene, 'application', serviceId));
    case 'preview': {
      const { deploymentId } = await stage.run(async () => {
        const record = await world.applications.find(serviceId);
        if (!record) throw new Error('The application is gone.');
        const { previewDeploymentId } = await world.previews.create(
          record,
          pullRequest,
          'preview.example.com',
        );
        const accepting = { kind: 'deploy', title: 'Preview', description: '' } as const;
        return world.deployments.accept(previewRef(previewDeploymentId), accepting);
      });
      return outcomeNow(scene, await stage.ended(deploymentId));
    }
    case 'upgrade': {
      const accepted = good(await call('redis.upgrade', { redisId: serviceId, containerImage: 'redis:8' }));
      return outcomeNow(scene, await stage.ended(accepted.deploymentId));
    }
    case 'restore': {
      // What a restore does at its end: the volume that was filled, and a deployment on it.
      const { deploymentId } = await stage.run(async () => {
        await stage.stores.databases.update(
          { databaseId: serviceId, organizationId: party.organizationId },
          { dataVolume: `${serviceId}-restored` },
        );
        const accepting = { kind: 'deploy', title: 'Restore', description: '' } as const;
        return world.deployments.accept(service, accepting);
      });
      return outcomeNow(scene, await stage.ended(deploymentId));
    }
    default:
      return outcomeNow(scene, await deploy(call));
  }
}

const pullRequest = {
  number: 7,
  name: null,
  image: null,
  expiresAt: null,
  headBranch: 'feature',
  commit: 'a'.repeat(40),
  repository: 'shop/shop',
  provider: 'github',
  isTrusted: true,
  isFork: false,
} as const;

async function application({ stage, cell, party, name }: Scene): Promise<ServiceRef> {
  const { owner, environmentId } = party;
  const made = good(await owner('application.create', { name, appName: name, environmentId }));
  const applicationId = textOf(made.body, 'applicationId');
  stage.machine.repository = { Dockerfile: 'FROM scratch' };
  const isBuilt = cell.path === 'webhook' || cell.path === 'preview';
  good(
    await owner('application.update', {
      applicationId,
      ...(isBuilt
        ? { ...fromGit, buildType: 'dockerfile' }
        : { sourceType: 'container', containerImage: webImage }),
    }),
  );
  return applicationRef(applicationId);
}

async function database({ party, name }: Scene): Promise<ServiceRef> {
  const { owner, environmentId } = party;
  const made = good(
    await owner('redis.create', {
      name,
      appName: name,
      environmentId,
      databasePassword: 'something',
      containerImage: oldRedis,
    }),
  );
  return databaseRef(textOf(made.body, 'redisId'));
}

/** A row that no interface made. */
async function plantMount({ stage, party }: Scene, { kind, serviceId }: ServiceRef): Promise<void> {
  await stage.run(() =>
    stage.stores.mounts.insert({
      mountId: randomId(),
      organizationId: party.organizationId,
      type: 'bind',
      hostPath: hostFolder,
      volumeName: null,
      filePath: null,
      content: null,
      mountPath: '/host',
      serviceType: kind === 'application' ? 'application' : 'database',
      applicationId: kind === 'application' ? serviceId : null,
      databaseId: kind === 'database' ? serviceId : null,
      composeId: null,
      approval: null,
      isSecret: false,
      createdAt: isoTime(systemClock),
    }),
  );
}

async function removeMounts({ stage }: Scene, serviceId: string): Promise<void> {
  await stage.run(() => stage.stores.mounts.remove({ applicationId: serviceId }));
}
