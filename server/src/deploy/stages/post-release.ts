/** Runs a command once the new version is healthy and routed. The version stays, whatever becomes of it. */
import { AppError } from '../../domain/errors.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import type { DeployContext, Stage } from '../context.ts';
import { runReleaseCommand } from './release-command.ts';

export const postRelease: Stage = {
  name: 'post-release',
  resume: 'release',
  holdsBuildSlot: false,
  sentence: () => 'Running the post-release command',
  async run(context) {
    const { released } = context;
    if (!released) throw new AppError('INTERNAL_SERVER_ERROR', 'Nothing was released.');
    const words = await failureOf(context, released.spec);
    const sentence = words === undefined ? null : `${words}; the new version runs all the same.`;
    if (sentence !== null) context.log.line(sentence);
    // An attempt that Berth's restart ended may have left its own.
    if (sentence !== context.deployment.errorMessage) await context.save({ errorMessage: sentence });
  },
};

/** A command that could not be run to its end has failed as well. */
async function failureOf(context: DeployContext, spec: ServiceSpec): Promise<string | undefined> {
  try {
    return await runReleaseCommand(context, { which: 'post-release', spec });
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof AppError) || error.code === 'INTERNAL_SERVER_ERROR') throw error;
    return `The post-release command did not end: ${error.message.replace(/\.$/, '')}`;
  }
}
