/** Brings the image of a database to this server, and refuses one that the data is not fit for. */
import { AppError } from '../../domain/errors.ts';
import { registryOf } from '../../domain/image-reference.ts';
import { majorOfImage, refuseMajorJump } from '../../modules/database/version.ts';
import type { Stage } from '../context.ts';
import type { DatabaseContext } from './database-context.ts';

export const pullDatabase: Stage<DatabaseContext> = {
  name: 'pull',
  resume: 'start',
  holdsBuildSlot: false,
  sentence: ({ database }) => `Looking for the image ${database.containerImage}`,
  async run(context) {
    const { database, engine } = context;
    const image = database.containerImage;
    refuseMajorJump(database, image, majorOfImage(database.kind, image));
    if ((await engine.image(image)) === undefined || context.deployment.kind === 'redeploy')
      await pull(context, image);
    refuseMajorJump(database, image, majorOfImage(database.kind, image, (await engine.image(image))?.env));
    await context.save({ image });
  },
};

/** A rebuild takes a newer image of the same name; one that cannot be pulled but is here already is used. */
async function pull(
  { database, engine, kind, log, reachRegistry, signal }: DatabaseContext,
  image: string,
): Promise<void> {
  try {
    await reachRegistry(registryOf(image), { organizationId: database.organizationId }, () =>
      engine.pullImage(image, { signal, onLine: log.line }),
    );
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    if (await engine.image(image))
      return log.line(
        `The image could not be pulled (${error.message}). Using the one that is on this server already.`,
      );
    const hint =
      image === kind.image && kind.imageIsPublished === false
        ? ` ${image} is the default of this kind in the interface, but nobody publishes it.`
        : '';
    const other =
      image === kind.exampleImage
        ? 'one that this server reaches'
        : `one that exists, such as ${kind.exampleImage}`;
    throw new AppError(
      'PRECONDITION_FAILED',
      `The image ${image} could not be pulled: ${error.message}${hint} Set containerImage with ` +
        `${database.kind}.update to ${other}, and deploy again.`,
      { cause: error },
    );
  }
}
