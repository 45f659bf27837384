/** Deploys previews after the databases that they have of their own. */
import type { DeploymentRecord } from '../../db/tables.ts';
import type { AttemptContext, BoundStage, Deployer } from '../context.ts';

type AwaitDatabases = (telling: { signal: AbortSignal; say(line: string): void }) => Promise<void>;

/**
 * Makes what is missing of them; resolves with the wait for their data, undefined where the deployment is of
 * a service without such databases.
 */
export type BeginDatabases = (
  deployment: DeploymentRecord,
  say: (line: string) => void,
) => Promise<AwaitDatabases | undefined>;

/**
 * Their records are made before the variables of the preview are read, which lead to them; a stage before all
 * others waits for their data.
 */
export function withPreviewDatabases(deployer: Deployer, begin: BeginDatabases): Deployer {
  return {
    async prepare(context) {
      const awaitFilled = await begin(context.deployment, (line) => context.log.line(line));
      const prepared = await deployer.prepare(context);
      if (!prepared || !awaitFilled) return prepared;
      return { ...prepared, stages: [stageOf(awaitFilled, context), ...prepared.stages] };
    },
  };
}

function stageOf(awaitFilled: AwaitDatabases, { log, signal }: AttemptContext): BoundStage {
  return {
    name: 'databases',
    resume: 'here',
    holdsBuildSlot: false,
    sentence: () => 'Waiting for the databases of this preview',
    run: () => awaitFilled({ signal, say: (line) => log.line(line) }),
    undo: async () => undefined,
    needsBuildSlot: () => false,
  };
}
