/**
 * Moves a compose service to another server. The running version is built and started there and must become
 * healthy; then the record and the routes change, and the services on the former server are removed. A
 * failure before the record has changed leaves it where it was. A compose service with volumes cannot move.
 */
import { join } from 'node:path';
import { AppError, sentenceOf } from '../../domain/errors.ts';
import { composeRef, type ServiceRef } from '../../domain/names/service-ref.ts';
import type { ComposeRecord } from '../../db/tables.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { Stage } from '../context.ts';
import type { ComposeContext } from '../compose/compose-context.ts';
import { keptServices, readComposeSnapshot } from '../compose/compose-snapshot.ts';
import { prepareImages } from '../compose/prepare-images.ts';
import { readFile } from '../compose/read-file.ts';
import { awaitServices, releaseServices } from '../compose/release-services.ts';
import { routeServices } from '../compose/settle.ts';
import { leaveFormer, servicesOf, type LeavingContext } from './leave-former.ts';

export interface MoveComposeContext extends ComposeContext, LeavingContext {
  /** How sentences name the server that it moves to. */
  hostName: string;
}

const removalLimitMs = 90_000;

const refOf = ({ compose }: ComposeContext): ServiceRef => composeRef(compose.composeId);

const readThere: Stage<MoveComposeContext> = {
  ...readFile,
  async run(context) {
    await readFile.run(context);
    for (const { name, mounts } of context.read?.plan.services ?? [])
      for (const { type } of mounts)
        if (type === 'volume' || type === 'bind') throw keepsData(context.compose, `a ${type} of ${name}`);
  },
};

const prepareThere: Stage<MoveComposeContext> = {
  ...prepareImages,
  sentence: ({ hostName }) => `Building and pulling the images on ${hostName}`,
  async run(context) {
    await prepareImages.run(context);
    const snapshot = readComposeSnapshot(context.deployment);
    // A bind that neither the file nor the repository provides is a volume.
    for (const { service, spec } of snapshot ? keptServices(snapshot) : [])
      if (spec.mounts.some(({ type }) => type === 'volume'))
        throw keepsData(context.compose, `a volume of ${service}`);
  },
};

/** Refuses a compose service that keeps data on its server. */
export const keepsData = ({ name }: Pick<ComposeRecord, 'name'>, what: string): AppError =>
  new AppError(
    'PRECONDITION_FAILED',
    `${name} keeps data on its server (${what}), which does not move with it. Create it anew ` +
      'on the other server and copy the data, by a backup of the volume for one.',
  );

const releaseThere: Stage<MoveComposeContext> = {
  ...releaseServices,
  async undo(context) {
    const { engine, hostName, log } = context;
    if (await isMoved(context)) return;
    for (const name of await servicesOf(engine, refOf(context)))
      await engine.removeService(name, { limitMs: removalLimitMs });
    log.line(`Removed what was started on ${hostName}; the compose service stays where it was.`);
  },
};

/** From here on the records say that it is on the new server. */
const switchServer: Stage<MoveComposeContext> = {
  name: 'switch',
  resume: 'here',
  holdsBuildSlot: false,
  sentence: ({ hostName }) => `Pointing its domains to ${hostName}`,
  async run(context) {
    const { compose, deployment, records } = context;
    await records.place(compose.composeId, deployment.moveTo ?? '');
    await routeServices.run(context);
  },
};

const leave: Stage<MoveComposeContext> = {
  name: 'leave',
  resume: 'here',
  holdsBuildSlot: false,
  sentence: () => 'Removing it from its former server',
  async run(context) {
    try {
      const { files, folders } = await leaveFormer(context, refOf(context));
      await files.remove(join(folders.composes, context.compose.composeId));
    } catch (error) {
      context.signal.throwIfAborted();
      context.log.line(
        `The compose service runs on ${context.hostName}, but it could not be removed completely from its ` +
          `former server: ${sentenceOf(error)} What is left there goes once that server can be reached.`,
      );
    }
  },
};

async function isMoved({ compose, deployment, records }: MoveComposeContext): Promise<boolean> {
  const present = await records.find(compose.composeId);
  return present !== undefined && serverKeyOf(present) === deployment.moveTo;
}

export const moveComposeStages: readonly Stage<MoveComposeContext>[] = [
  readThere,
  prepareThere,
  releaseThere,
  awaitServices,
  switchServer,
  leave,
];
