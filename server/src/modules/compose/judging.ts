/** What a deployment would make of a compose file in a record, before anything is saved, pulled or built. */
import { AppError } from '../../domain/errors.ts';
import type { Danger } from '../../domain/access/danger.ts';
import { composeVariables } from '../../domain/variables/compose-variables.ts';
import type { SurroundingBlocks } from '../../domain/variables/env.ts';
import type { ComposeRecord } from '../../db/tables.ts';
import { dangersOfPlan } from '../host-reach/dangers.ts';
import type { Mount } from '../mount/mount.ts';
import type { ComposePlan } from './translation/plan.ts';

export interface Judged {
  /** Why a deployment would refuse it. */
  refused: { sentence: string; line: number | null } | null;
  /** Names of the services that it would deploy. */
  services: string[];
  /** What the deployment's log would say. */
  notes: string[];
  /** What it asks of the machine itself, as the file says it. */
  dangers: Danger[];
}

export interface Around {
  blocks: SurroundingBlocks;
  /** Files beside the compose file are those of the mounts. */
  mounts: readonly Pick<Mount, 'type' | 'filePath' | 'content'>[];
  /** Throws BAD_REQUEST for what cannot be had on its machine, and gives what else its log would say. */
  surroundings(plan: ComposePlan): Promise<string[]>;
}

const field = 'composeFile';

/** The plan of the file with what lies beside it; throws BAD_REQUEST for what a deployment would refuse. */
export async function planOfRaw(
  compose: Pick<ComposeRecord, 'composeFile' | 'env' | 'secretEnv'>,
  { blocks: around, mounts, surroundings }: Around,
): Promise<ComposePlan> {
  const { readLinkedFiles } = await import('./translation/whole/linked-files.ts');
  const { translate } = await import('./translation/translate.ts');
  const { composeFile: text } = compose;
  const beside = new Map(
    mounts.flatMap(({ type, filePath, content }) =>
      type === 'file' && filePath !== null ? [[filePath, content ?? '']] : [],
    ),
  );
  const { all, blocks } = composeVariables(compose, around);
  const files = await readLinkedFiles(text, { field, folder: '', read: async (path) => beside.get(path) });
  const plan = translate({ text, field, folder: undefined, files, variables: all, blocks });
  return { ...plan, notes: [...plan.notes, ...(await surroundings(plan))] };
}

/** The same as data, with a refusal as its sentence. */
export async function judgeRaw(
  compose: Pick<ComposeRecord, 'composeFile' | 'env' | 'secretEnv'>,
  around: Around,
): Promise<Judged> {
  try {
    const { services, notes } = await planOfRaw(compose, around);
    return {
      refused: null,
      services: services.map(({ name }) => name),
      notes,
      dangers: dangersOfPlan({ services }),
    };
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'SERVICE_UNAVAILABLE') throw error;
    return {
      refused: await refusalOf(compose.composeFile, error),
      services: [],
      notes: [],
      dangers: [],
    };
  }
}

/** The sentence without the name of the input, and the line that it is about. */
async function refusalOf(
  text: string,
  { message }: AppError,
): Promise<{ sentence: string; line: number | null }> {
  const { lineOfSentence } = await import('./saved-file.ts');
  const sentence = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
  return { sentence, line: lineOfSentence(text, sentence) ?? null };
}
