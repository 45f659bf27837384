/**
 * The walls between services and the machine, as they are built into the program. A test that composes
 * the program itself may leave one out, to see that its attack succeeds then; the product has no such
 * choice.
 */
import { createBuildEngines, type BuildEnginesOptions } from '../adapters/build-engine/build-engines.ts';
import type { BuildEngines } from '../ports/build-engine.ts';
import type { JudgeFile } from '../deploy/compose/compose-context.ts';
import { createFileJudge, type JudgeFileParts } from '../deploy/compose/judge-file.ts';
import { createJudge, type Judge, type JudgeParts } from '../deploy/judged-engine.ts';

export interface Walls {
  /** Judges what the engine is asked for. */
  judge(parts: JudgeParts): Judge;
  /** Judges what a compose file asks for. */
  judgeFile(parts: JudgeFileParts): JudgeFile;
  /** Gives each organization a builder of its own. */
  buildEngines(options: BuildEnginesOptions): BuildEngines;
}

export const walls: Walls = {
  judge: createJudge,
  judgeFile: createFileJudge,
  buildEngines: createBuildEngines,
};
