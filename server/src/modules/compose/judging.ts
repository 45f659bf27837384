/** A compose file in a record, judged before anything is pulled or built. */
import { composeVariables } from '../../domain/variables/compose-variables.ts';
import type { SurroundingBlocks } from '../../domain/variables/env.ts';
import type { ComposeRecord } from '../../db/tables.ts';
import type { Mount } from '../mount/mount.ts';
import type { ComposePlan } from './translation/plan.ts';

export interface Around {
  blocks: SurroundingBlocks;
  /** Files beside the compose file are those of the mounts. */
  mounts: readonly Pick<Mount, 'type' | 'filePath' | 'content'>[];
}

/** The plan of the file with what lies beside it; throws BAD_REQUEST for what a deployment would refuse. */
export async function planOfRaw(
  compose: Pick<ComposeRecord, 'composeFile' | 'env' | 'secretEnv'>,
  { blocks: around, mounts }: Around,
): Promise<ComposePlan> {
  const { readLinkedFiles } = await import('./translation/whole/linked-files.ts');
  const { translate } = await import('./translation/translate.ts');
  const field = 'composeFile';
  const { composeFile: text } = compose;
  const beside = new Map(
    mounts.flatMap(({ type, filePath, content }) =>
      type === 'file' && filePath !== null ? [[filePath, content ?? '']] : [],
    ),
  );
  const { all, blocks } = composeVariables(compose, around);
  const files = await readLinkedFiles(text, { field, folder: '', read: async (path) => beside.get(path) });
  return translate({ text, field, folder: undefined, files, variables: all, blocks });
}
