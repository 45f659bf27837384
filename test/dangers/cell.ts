/** One cell: a danger that somebody brings into a service, and one way of deploying it. */
import { applicationRef, databaseRef, previewRef } from '../../server/src/domain/names/service-ref.ts';
import type { ServiceRef } from '../../server/src/domain/names/service-ref.ts';
import { isoTime, randomId, systemClock } from '../../server/src/ports/clock.ts';
import { textOf } from '../http/interface-client.ts';
import { oldRedis, webImage } from '../kill-matrix/images.ts';
import type { Call, Party, Said, Stage } from './stage.ts';
import {
  hostFolder,
  type Author,
  type DangerRow,
  type Deployable,
  type Outcome,
  type Path,
} from './table.ts';

export interface Cell {
  deployable: Deployable;
  path: Path;
  author: Author;
  danger: DangerRow;
}

export interface Came {
  outcome: Outcome;
  /** What was said: by the deployment, or at the interface. */
  said: string;
  /** The interface refused before anything was stored. */
  atTheDoor: boolean;
}

/** Who deploys, and in whose organization. */
interface Scene {
  stage: Stage;
  cell: Cell;
  party: Party;
  call: Call;
  /** Name of the service, unlike any other. */
  name: string;
}

let count = 0;

export async function tryCell(stage: Stage, cell: Cell): Promise<Came> {
  const { installation, tenant } = stage;
  const [party, call] = {
    "the installation's Admin": [installation, installation.admin] as const,
    "the installation's Member": [installation, installation.member] as const,
    "a tenant's Owner": [tenant, tenant.owner] as const,
    "a tenant's Member": [tenant, tenant.member] as const,
    // What is pushed, somebody of the organization may deploy by hand.
    'a stranger who pushes': [installation, installation.member] as const,
  }[cell.author];
  const scene: Scene = { stage, cell, party, call, name: `danger-${(count += 1)}` };
  const came = cell.deployable === 'compose' ? await tryCompose(scene) : await tryMounted(scene);
  return came;
}

function good({ status, body, deploymentId }: Said): Said {
  if (status !== 200) throw new Error(`The call was answered ${status}: ${JSON.stringify(body)}`);
  return { status, body, deploymentId };
}

/** Whether what the engine was asked for has the danger, since the last look. */
function outcomeNow({ stage, cell }: Scene, said: string, atTheDoor = false): Came {
  const reached = stage.asked().includes(cell.danger.marker);
  return { outcome: reached ? 'reaches the machine' : 'held', said, atTheDoor };
}

/** A tenant's organization is trusted for as long as the work takes. */
async function trusted<T>({ stage, party }: Scene, work: () => Promise<T>): Promise<T> {
  const { organizationId } = party;
  if (party === stage.installation) return work();
  const setTrusted = (isTrusted: boolean): Promise<Said> =>
    stage.installation.owner('organization.setTrusted', { organizationId, trusted: isTrusted }).then(good);
  await setTrusted(true);
  const value = await work();
  await setTrusted(false);
  return value;
}

const fileOf = (danger?: DangerRow): string => `services:
  web:
    image: ${webImage}
    command: [serve]
    ${danger?.service ?? ''}
${danger?.rest ?? ''}
`;

const fromGit = {
  sourceType: 'git',
  customGitUrl: 'https://git.test/shop.git',
  customGitBranch: 'main',
} as const;

async function tryCompose(scene: Scene): Promise<Came> {
  const { stage, cell, party, call, name } = scene;
  const { owner, environmentId } = party;
  const composeId = textOf(
    good(await owner('compose.create', { name, appName: name, environmentId })).body,
    'composeId',
  );
  const { isPushed, deploy, save, approve, release, withdraw } = composeHands(scene, composeId);
  if (isPushed) good(await owner('compose.update', { composeId, ...fromGit, composePath: 'compose.yml' }));
  if (cell.path !== 'reconcile, ran' && cell.path !== 'rollback') {
    await save(owner);
    await mustBeDone(deploy(owner));
  }
  try {
    switch (cell.path) {
      case 'reconcile, saved':
        await save(call, cell.danger);
        return await reconciled(scene, `${name}_web`);
      case 'start':
        await save(call, cell.danger);
        return await startedAgain(scene, 'compose', { composeId });
      case 'reconcile, ran':
        await release();
        await withdraw();
        return await reconciled(scene, `${name}_web`);
      case 'rollback': {
        const first = await release();
        const { approval = null } = (await stage.stores.composes.find({ composeId })) ?? {};
        await save(owner);
        await mustBeDone(deploy(owner));
        // Nobody has taken the leave back from those who may.
        if (cell.author === "the installation's Admin")
          await stage.run(() => stage.stores.composes.update({ composeId }, { approval }));
        else await withdraw();
        stage.asked();
        const back = good(await call('deployment.rollback', { deploymentId: first }));
        return outcomeNow(scene, await stage.ended(back.deploymentId));
      }
      default: {
        await save(call, cell.danger);
        if (isPushed && cell.author === "the installation's Admin") {
          await deploy(call);
          await approve(call);
        }
        stage.asked();
        return outcomeNow(
          scene,
          cell.path === 'webhook' ? await pushed(scene, 'compose', composeId) : await deploy(call),
        );
      }
    }
  } finally {
    good(await owner('compose.delete', { composeId, deleteVolumes: true }));
  }
}

/** What people do to the compose service of a cell. */
function composeHands(scene: Scene, composeId: string) {
  const {
    stage,
    cell,
    party: { owner },
  } = scene;
  const isPushed = cell.author === 'a stranger who pushes' || cell.path === 'webhook';
  const deploy = async (by: Call): Promise<string> =>
    stage.ended(good(await by('compose.deploy', { composeId })).deploymentId);
  const save = async (by: Call, danger?: DangerRow): Promise<void> => {
    // A commit of whoever may push, or a file that is written here.
    if (isPushed) stage.machine.repository = { 'compose.yml': fileOf(danger) };
    else good(await by('compose.update', { composeId, sourceType: 'raw', composeFile: fileOf(danger) }));
  };
  const approve = async (by: Call): Promise<void> => {
    const { body } = good(await by('compose.one', { composeId }));
    const awaits: unknown =
      typeof body === 'object' && body !== null ? Reflect.get(body, 'awaitsApproval') : undefined;
    if (awaits !== null) good(await by('compose.approve', { composeId, digest: textOf(awaits, 'digest') }));
  };
  /** The danger is released with leave; gives the deployment. */
  const release = (): Promise<string> =>
    trusted(scene, async () => {
      await save(owner, cell.danger);
      if (isPushed) {
        await deploy(owner);
        await approve(owner);
      }
      const { deploymentId = '' } = good(await owner('compose.deploy', { composeId }));
      await mustBeDone(stage.ended(deploymentId));
      return deploymentId;
    });
  const withdraw = (): Promise<unknown> =>
    stage.run(() => stage.stores.composes.update({ composeId }, { approval: null }));
  return { isPushed, deploy, save, approve, release, withdraw };
}

async function mustBeDone(deployment: Promise<string>): Promise<void> {
  const said = await deployment;
  if (said !== 'done') throw new Error(`The deployment before ended otherwise: ${said}`);
}

/** The engine loses the service, and the reconciler puts right what it finds. */
async function reconciled(scene: Scene, service: string): Promise<Came> {
  const { stage } = scene;
  await stage.run(() => stage.machine.memory.engine.removeService(service, { limitMs: 60_000 }));
  stage.asked();
  await stage.run(() => stage.world.reconciler.run());
  const came = outcomeNow(scene, 'reconciled');
  const isBack = [...stage.machine.memory.state.services.values()].some(({ spec }) => spec.Name === service);
  return isBack ? came : { ...came, said: 'It did not come back.' };
}

/** What ran before is stopped and started, by whoever brought the danger in. */
async function startedAgain(scene: Scene, router: string, named: Record<string, string>): Promise<Came> {
  good(await scene.call(`${router}.stop`, named));
  scene.stage.asked();
  good(await scene.call(`${router}.start`, named));
  return outcomeNow(scene, 'done');
}

async function pushed({ stage, party }: Scene, kind: 'application' | 'compose', id: string): Promise<string> {
  const one = good(await party.owner(`${kind}.one`, { [`${kind}Id`]: id }));
  const { body } = good(await stage.push(kind, textOf(one.body, 'refreshToken')));
  return stage.ended(textOf(body, 'deploymentId'));
}

/** An application or a database with a folder of the machine. */
async function tryMounted(scene: Scene): Promise<Came> {
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
    if (cell.path === 'rollback' || cell.path === 'reconcile, ran') {
      const first = await trusted(scene, async () => {
        good(await mount(owner));
        const { deploymentId } = good(await owner(`${router}.deploy`, named));
        await mustBeDone(stage.ended(deploymentId));
        return deploymentId;
      });
      const isKept = cell.author === "the installation's Admin" && cell.path === 'rollback';
      if (!isKept)
        await stage.run(() =>
          stage.stores.mounts.update(
            { [kind === 'application' ? 'applicationId' : 'databaseId']: serviceId },
            { approval: null },
          ),
        );
      if (cell.path === 'reconcile, ran') return await reconciled(scene, engineName);
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
  headBranch: 'feature',
  commit: 'a'.repeat(40),
  repository: 'shop/shop',
  provider: 'github',
  isTrusted: true,
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
