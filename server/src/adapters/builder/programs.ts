/** Which programs that build are on this machine, and whether they start. */
import type { BuildType } from '../../domain/build-type.ts';
import { rm } from 'node:fs/promises';
import { oneLine } from '../../domain/text/words.ts';
import type { BuilderProgram } from '../../ports/engine/builder.ts';
import { command } from '../../shell/command.ts';
import { run } from '../../shell/run.ts';
import { builders, type BuilderRow } from './builders.ts';
import { pathOf } from './preflight.ts';

const limitMs = 20_000;

/** Each is started once, on what tells its version; `scratch` is made and removed. */
export async function probePrograms(
  scratch: string,
  signal: AbortSignal,
  folders?: string,
): Promise<BuilderProgram[]> {
  const rows = Object.entries<BuilderRow>(builders).flatMap(([type, { program }]) =>
    program === undefined ? [] : [{ type: type as BuildType, ...program }],
  );
  const byName = Map.groupBy(rows, ({ name }) => name);
  try {
    return await Promise.all(
      [...byName].map(async ([name, uses]) => ({
        name,
        buildTypes: uses.map(({ type }) => type),
        install: uses[0]?.install ?? '',
        ...(await probe(name, { scratch, signal, folders })),
      })),
    );
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function probe(
  name: string,
  { scratch, signal, folders }: { scratch: string; signal: AbortSignal; folders: string | undefined },
): Promise<Pick<BuilderProgram, 'version' | 'problem'>> {
  const path = await pathOf(name, folders);
  if (path === undefined) return { version: null, problem: 'not installed' };
  const said: string[] = [];
  const { ended, exitCode, stdout } = await run(command([path, '--version'], { cwd: '/' }), {
    signal,
    limitMs,
    scratchDirectory: scratch,
    captureStdout: true,
    onLine: (line) => said.push(line),
  });
  if (ended === 'aborted') signal.throwIfAborted();
  const version = /\d+\.\d+(\.\d+)?[\w.+-]*/.exec(stdout)?.[0];
  if (exitCode === 0 && version !== undefined) return { version, problem: null };
  return { version: null, problem: `${path} --version fails: ${oneLine(said[0] ?? stdout, 200)}` };
}
