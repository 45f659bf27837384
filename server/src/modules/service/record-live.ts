/** What runs of a service, beside how its last action ended (decisions 5, live). */
import { z } from 'zod';
import { liveProblems } from '../../domain/states/live.ts';

const optional = z.string().nullable();

export const lastExit = z
  .object({
    at: z.string(),
    exitCode: z.number().nullable().describe('null when its program never ran'),
    outOfMemory: z.boolean(),
    reason: z.string(),
  })
  .nullable()
  .describe('How a task of this release last ended by itself');

export const liveRecord = z
  .object({
    deploymentId: optional.describe('The deployment whose release runs'),
    commit: optional,
    image: optional.describe('null for a compose service, which has several'),
    since: optional.describe('Since when its tasks run; null while none does'),
    running: z.number().describe('Running tasks'),
    desired: z.number().describe('Tasks that should be running'),
    restarts: z.number().describe('Tasks of this release that ended by themselves'),
    lastExit,
    problem: z
      .enum(liveProblems)
      .nullable()
      .describe(
        'What happened to it after its deployment; null again 10 minutes after the last end of a task',
      ),
    unreachableSince: optional.describe(
      'While the engine does not answer: when it was last seen; everything else is as it was then',
    ),
  })
  .nullable()
  .meta({ id: 'Live' })
  .describe('What runs, as the engine was last seen; null when nothing is released, or none was seen yet');

export const pendingChanges = z
  .array(z.string())
  .describe(
    'What changed since the running release and takes effect at the next deploy: fields, `mounts`, ' +
      '`ports`, `registry`, and for variables the field of their block with `<field>.<NAME>` for each, ' +
      'wherever they come from',
  );

/** Of variables that are never given back. */
export const secretEnvNames = z
  .array(z.object({ name: z.string(), changedAt: z.string() }))
  .describe('Names of its secret variables and when each changed; the values are never shown');
