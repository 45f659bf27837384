/** Deploys previews after the databases that they have of their own. */
import type { DeploymentRecord } from '../db/tables.ts';
import type {
  PreviewDatabases,
  PreviewOfDatabases,
} from '../modules/preview-deployment/databases/preview-databases.ts';
import type { AttemptContext, BoundStage, Deployer } from './context.ts';

export interface PreviewDatabaseParts {
  databases: PreviewDatabases;
  /** The preview that a deployment is of; undefined for any other service. */
  previewOf(deployment: DeploymentRecord): Promise<PreviewOfDatabases | undefined>;
}

/**
 * Their records are made before the variables of the preview are read, which lead to them; a stage before all
 * others waits for their data.
 */
export function withPreviewDatabases(
  deployer: Deployer,
  { databases, previewOf }: PreviewDatabaseParts,
): Deployer {
  return {
    async prepare(context) {
      const preview = await previewOf(context.deployment);
      const count = preview ? await databases.ensure(preview, (line) => context.log.line(line)) : 0;
      const prepared = await deployer.prepare(context);
      if (!prepared || !preview || count === 0) return prepared;
      return { ...prepared, stages: [stageOf(databases, preview, context), ...prepared.stages] };
    },
  };
}

function stageOf(
  databases: PreviewDatabases,
  preview: PreviewOfDatabases,
  { log, signal }: AttemptContext,
): BoundStage {
  return {
    name: 'databases',
    resume: 'here',
    holdsBuildSlot: false,
    sentence: () => 'Waiting for the databases of this preview',
    run: () => databases.awaitFilled(preview, { signal, say: (line) => log.line(line) }),
    undo: async () => undefined,
    needsBuildSlot: () => false,
  };
}
