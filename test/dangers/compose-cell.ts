/** A compose file that somebody brings a danger into, and one way of deploying it. */
import { webImage } from '../kill-matrix/images.ts';
import { textOf } from '../http/interface-client.ts';
import {
  fromGit,
  good,
  lost,
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
import type { Call } from './stage.ts';
import type { DangerRow } from './table.ts';

const fileOf = (danger?: DangerRow): string => `services:
  web:
    image: ${webImage}
    command: [serve]
    ${danger?.service ?? ''}
${danger?.rest ?? ''}
`;

export async function tryCompose(scene: Scene): Promise<Came> {
  const { stage, cell, party, call, name } = scene;
  const { owner, environmentId } = party;
  const composeId = textOf(
    good(await owner('compose.create', { name, appName: name, environmentId })).body,
    'composeId',
  );
  const { isPushed, deploy, save, approve, release, withdraw } = composeHands(scene, composeId);
  if (isPushed) good(await owner('compose.update', { composeId, ...fromGit, composePath: 'compose.yml' }));
  if (!ranBefore.has(cell.path)) {
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
      case 'redeploy':
      case 'rollback':
        return await again(scene, composeId);
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

/** What was released with leave is deployed once more, or gone back to; the Admin's alone still has it. */
async function again(scene: Scene, composeId: string): Promise<Came> {
  const { stage, cell, party, call } = scene;
  const { save, deploy, release, withdraw } = composeHands(scene, composeId);
  const first = await release();
  const { approval = null } = (await stage.stores.composes.find({ composeId })) ?? {};
  if (cell.path === 'rollback') {
    await save(party.owner);
    await mustBeDone(deploy(party.owner));
  }
  // Nobody has taken the leave back from those who may.
  if (cell.author === "the installation's Admin")
    await stage.run(() => stage.stores.composes.update({ composeId }, { approval }));
  else await withdraw();
  // What runs as it should the engine is not asked for again.
  if (cell.path === 'redeploy') await lost(scene, `${scene.name}_web`);
  stage.asked();
  const accepted =
    cell.path === 'rollback'
      ? await call('deployment.rollback', { deploymentId: first })
      : await call('compose.redeploy', { composeId });
  return outcomeNow(scene, await stage.ended(good(accepted).deploymentId));
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
