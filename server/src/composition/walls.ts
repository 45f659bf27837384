/**
 * The walls between services and the machine, and between organizations on it, as they are built into the
 * program. A test that composes the program itself may leave one out, to see that its attack succeeds then;
 * the product has no such choice.
 */
import type { JudgeFile } from '../deploy/compose/compose-context.ts';
import { createFileJudge, type JudgeFileParts } from '../deploy/compose/judge-file.ts';
import { createImageAccess, type ImageAccess, type ImageAccessParts } from '../modules/image/image.ts';
import { createJudge, type Judge, type JudgeParts } from '../deploy/judged-engine.ts';

export interface Walls {
  /** Judges what the engine is asked for. */
  judge(parts: JudgeParts): Judge;
  /** Judges what a compose file asks for. */
  judgeFile(parts: JudgeFileParts): JudgeFile;
  /** Judges which images an organization may run. */
  images(parts: ImageAccessParts): ImageAccess;
}

export const walls: Walls = { judge: createJudge, judgeFile: createFileJudge, images: createImageAccess };
