/** Objects packed by xz and bzip2, unpacked by the programs of the distribution. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../../../domain/errors.ts';
import { command } from '../../../../shell/command.ts';
import { startPiped, type PipedChild, type PipedEnd } from '../../../../shell/piped.ts';
import type { Bytes } from './bytes.ts';

/** The largest dictionary of `xz -9` takes 65 MiB; a stream may ask for gigabytes. */
const programs = {
  xz: { argv: ['xz', '--decompress', '--stdout', '--memlimit-decompress=256MiB'], package: 'xz-utils' },
  bzip2: { argv: ['bzip2', '--decompress', '--stdout'], package: 'bzip2' },
} as const;

export type PackingProgram = keyof typeof programs;

/** PRECONDITION_FAILED with the words of the program when it does not take the stream to its end. */
export async function* unpackedByProgram(
  name: PackingProgram,
  source: Bytes,
  env: Record<string, string> = {},
): AsyncGenerator<Uint8Array> {
  const child = startPiped(command(programs[name].argv, { cwd: '/', env }));
  let broken: { error: unknown } | undefined;
  async function* watched(): AsyncGenerator<Uint8Array> {
    try {
      yield* source;
    } catch (error) {
      broken = { error };
      // Before its input ends: it must not take a source that broke for one that is over.
      child.kill();
      throw error;
    }
  }
  let fault: Error | undefined;
  const feeding = pipeline(Readable.from(watched(), { objectMode: false }), child.stdin).catch(
    (error: unknown) => {
      fault = error instanceof Error ? error : new Error(String(error));
    },
  );
  try {
    for await (const chunk of child.stdout) yield Buffer.from(chunk as Uint8Array);
    const { exitCode, stderr } = await endOf(name, child);
    if (broken !== undefined) throw broken.error;
    if (exitCode !== 0) throw damaged(name, stderr);
    await feeding;
    if (fault !== undefined) throw fault;
  } finally {
    child.kill();
    await feeding;
  }
}

async function endOf(name: PackingProgram, { ended }: PipedChild): Promise<PipedEnd> {
  try {
    return await ended;
  } catch (error) {
    if (error instanceof AppError && error.code === 'PRECONDITION_FAILED') throw lacking(name, error);
    throw error;
  }
}

/** An installation that was set up before Berth unpacked such objects may lack the program. */
function lacking(name: PackingProgram, cause: unknown): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    `The object is packed by ${name}, and Berth's machine lacks that program. Install it (apt-get install ` +
      `${programs[name].package}, or run bin/up again) and restore again. Nothing was changed.`,
    { cause },
  );
}

function damaged(name: PackingProgram, stderr: string): AppError {
  const words = stderr.split('\n').at(-1) ?? '';
  return new AppError(
    'PRECONDITION_FAILED',
    `The object is damaged, or needs more memory than Berth gives ${name}: ${words || `${name} failed`}. ` +
      'Choose another one, or store it unpacked.',
  );
}
