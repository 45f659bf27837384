/**
 * Moves an application to another server. The running version is started there and must become healthy; then
 * the record and the routes change, and the service on the former server is removed. A failure before the
 * record has changed leaves the application where it was.
 */
import { AppError, sentenceOf } from '../../domain/errors.ts';
import { builtPrefix } from '../../domain/names/image-reference.ts';
import type { ApplicationRecord } from '../../db/tables.ts';
import type { Host } from '../../ports/host/host.ts';
import type { DeployContext, Stage } from '../context.ts';
import { bringImage } from '../images/bring-image.ts';
import { readSnapshot } from '../snapshot.ts';
import { awaitHealthy } from '../stages/await-healthy.ts';
import { registryAuth, release } from '../stages/release.ts';
import { leaveFormer, type LeavingContext } from './leave-former.ts';

export interface MoveContext extends DeployContext, LeavingContext {
  /** Its record when this attempt began; `application` is the record after the move. */
  former: ApplicationRecord;
  /** How sentences name the server that it moves to. */
  hostName: string;
  copyImage: Host['copyImage'];
}

const removalLimitMs = 90_000;

const transfer: Stage<MoveContext> = {
  name: 'transfer',
  resume: 'start',
  holdsBuildSlot: false,
  sentence: ({ hostName }) => `Copying the image to ${hostName}`,
  async run(context) {
    const { application, copyImage, engine, former, log, owner: service, records, save, signal } = context;
    const live = await records.live(former);
    const snapshot = readSnapshot(live);
    if (!live || !snapshot)
      throw new AppError('PRECONDITION_FAILED', `${former.name} no longer has a release: deploy first.`);
    const { image } = snapshot.spec;
    const { organizationId } = application;
    if (!image.startsWith(builtPrefix)) {
      const auth = await registryAuth(context, snapshot.registryId);
      await bringImage(context, { reference: image, organizationId, service, auth, how: 'present' });
    } else if (!(await engine.image(image))) {
      const { imageIntake, name } = await context.formerHost();
      if (!(await copyImage(imageIntake, image, signal)))
        throw new AppError(
          'PRECONDITION_FAILED',
          `${name} no longer has the image of the running version. Deploy, then move.`,
        );
      log.line(`Copied ${image} from ${name}.`);
    }
    await save({ image, commit: live.commit });
  },
};

const releaseThere: Stage<MoveContext> = {
  ...release,
  async undo(context) {
    const { application, engine, hostName, log } = context;
    if (await isMoved(context)) return;
    await engine.removeService(application.appName, { limitMs: removalLimitMs });
    log.line(`Removed what was started on ${hostName}; the application stays where it was.`);
  },
};

/** From here on the records say that it is on the new server. */
const switchServer: Stage<MoveContext> = {
  name: 'switch',
  resume: 'here',
  holdsBuildSlot: false,
  sentence: ({ hostName }) => `Pointing its domains to ${hostName}`,
  async run(context) {
    const { application, applyRoutes, deployment, networks, records } = context;
    const { applicationId, appName, environmentId } = application;
    await records.place(applicationId, deployment.moveTo ?? '');
    await records.nameReleased(applicationId, appName);
    // The first task of an environment brings its network up on the new server, so the proxy can be attached.
    await networks.ensureEnvironment(environmentId);
    await applyRoutes();
  },
};

const leave: Stage<MoveContext> = {
  name: 'leave',
  resume: 'here',
  holdsBuildSlot: false,
  sentence: () => 'Removing it from its former server',
  async run(context) {
    try {
      await leaveFormer(context, context.owner);
    } catch (error) {
      context.signal.throwIfAborted();
      context.log.line(
        `The application runs on ${context.hostName}, but it could not be removed completely from its ` +
          `former server: ${sentenceOf(error)} Remove its service and images there by hand.`,
      );
    }
  },
};

async function isMoved({ application, deployment, records }: MoveContext): Promise<boolean> {
  return (await records.placeOf(application.applicationId)) === deployment.moveTo;
}

export const moveStages: readonly Stage<MoveContext>[] = [
  transfer,
  releaseThere,
  awaitHealthy,
  switchServer,
  leave,
];
