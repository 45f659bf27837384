/** Pulls the image of a database to this server, and refuses one that cannot read the database's data. */
import { AppError } from '../../domain/errors.ts';
import { databaseRef } from '../../domain/names/service-ref.ts';
import { majorOfImage, refuseMajorJump } from '../../modules/database/version.ts';
import { bringImage } from '../images/bring-image.ts';
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
    await bring(context, image);
    refuseMajorJump(database, image, majorOfImage(database.kind, image, (await engine.image(image))?.env));
    await context.save({ image });
  },
};

/** A redeploy takes a newer image of the same name when the registry answers. */
async function bring(context: DatabaseContext, reference: string): Promise<void> {
  const { database, deployment, kind, records, signal } = context;
  const { organizationId } = database;
  try {
    await bringImage(context, {
      reference,
      organizationId,
      service: databaseRef(database.databaseId),
      auth: await records.registryAuth(reference, organizationId),
      how: deployment.kind === 'redeploy' ? 'newest' : 'present',
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    const hint =
      reference === kind.image && kind.imageIsPublished === false
        ? ` ${reference} is the default of this kind in the interface, but it is not published.`
        : '';
    const other =
      reference === kind.exampleImage
        ? 'one that this server can reach'
        : `one that exists, such as ${kind.exampleImage}`;
    throw new AppError(
      'PRECONDITION_FAILED',
      `The image ${reference} could not be pulled: ${error.message}${hint} Set containerImage with ` +
        `${database.kind}.update to ${other}, and deploy again.`,
      { cause: error },
    );
  }
}
