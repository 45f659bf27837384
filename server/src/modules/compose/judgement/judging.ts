/** A compose file in a record, judged before anything is pulled or built. */
import { composeVariables } from '../../../domain/variables/compose-variables.ts';
import type { SurroundingBlocks } from '../../../domain/variables/env.ts';
import type { ComposeRecord } from '../../../db/tables.ts';
import {
  contentOf,
  envFileBeside,
  missingBeside,
  textOfMount,
  type FileMount,
} from '../translation/beside.ts';
import { environmentOf, type EnvironmentSource } from '../translation/environment.ts';
import type { ComposePlan } from '../translation/plan.ts';

export interface Around {
  blocks: SurroundingBlocks;
  /** Files beside the compose file are those of the mounts. */
  mounts: readonly FileMount[];
}

export type RawCompose = Pick<ComposeRecord, 'composeFile' | 'createEnvFile' | 'env' | 'secretEnv'>;

const field = 'composeFile';

/**
 * The plan of the file with what lies beside it; throws BAD_REQUEST for what a deployment would refuse.
 * `onReference` hears the value of each reference in the file.
 */
export async function planOfRaw(
  compose: RawCompose,
  { blocks: around, mounts }: Around,
  onReference: (value: string) => void = () => undefined,
): Promise<ComposePlan> {
  const { readLinkedFiles } = await import('../translation/whole/linked-files.ts');
  const { translate } = await import('../translation/translate.ts');
  const { composeFile: text } = compose;
  const { all: variables, blocks } = composeVariables(compose, around);
  const files = await readLinkedFiles(text, {
    field,
    folder: '',
    read: async (path) => textOfMount(mounts, path),
  });
  const changeReference = (value: string): string => {
    onReference(value);
    return value;
  };
  const plan = translate({ text, field, folder: undefined, files, variables, blocks, changeReference });
  await requireBeside(plan, {
    field,
    variables,
    textOf: async (path) => textOfMount(mounts, path) ?? envFileBeside(compose, variables, path),
    missing: missingBeside,
  });
  return plan;
}

/** Reads whatever the services name of the files beside theirs. */
async function requireBeside({ services }: ComposePlan, beside: EnvironmentSource): Promise<void> {
  for (const service of services) {
    await environmentOf(service, beside);
    for (const file of service.files) await contentOf(file, beside);
  }
}
