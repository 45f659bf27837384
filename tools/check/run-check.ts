import { runCommand, type Argv } from '../../images/command.ts';
import { sentenceOf } from '../../server/src/domain/errors.ts';

export interface Check {
  name: string;
  /** Gives one sentence per fault. */
  faults(): Promise<string[]>;
}

export interface Outcome {
  name: string;
  faults: string[];
  /** Milliseconds. */
  took: number;
}

/**
 * No check may hang. On a quiet machine all of them together take half a minute; a busy or slow one gets its
 * time.
 */
const limitMs = 900_000;

/** Runs a check to its end; whatever it throws is its fault. */
export async function runCheck({ name, faults }: Check): Promise<Outcome> {
  const start = performance.now();
  const found = await faults().catch((error: unknown) => [sentenceOf(error)]);
  return { name, faults: found, took: performance.now() - start };
}

/** A program whose exit code decides; its output is the fault. `env` is given to it besides our own. */
export async function programFaults(argv: Argv, cwd: string, env: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const { code, stdout, stderr } = await runCommand(argv, {
    limitMs,
    cwd,
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, ...env },
  });
  return code === 0 ? [] : [`${stdout}${stderr}`.trim() || `${argv[0]} ended with exit code ${code}.`];
}
