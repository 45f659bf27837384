/**
 * Loads the parts of the bundled server with what V8 compiled of them in an earlier run (ADR 47). Node's own
 * compile cache keeps a module as it is before its first line runs: its functions are compiled again in each
 * start, 2,000 of them. Here the compiled form is taken after they have run.
 *
 * A part is one function of `require`, `exports` and where it lies (tools/package/program.ts).
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

export interface Bundle {
  /** What the part exports; it runs at the first call. */
  load(file: string): unknown;
  /** Whether a part had no compiled form, or one that V8 refused: of another version, or with other flags. */
  lacks(): boolean;
  /** Writes the compiled form of every part that is loaded, in place of all that was kept. */
  keep(): void;
}

interface Part {
  exports: object;
  script: Script;
  /** Of its source. */
  sum: number;
}

/** `folder` is for this alone. Whoever can write there decides what runs. */
export function openBundle(folder: string): Bundle {
  const parts = new Map<string, Part>();
  const builtIn = createRequire(import.meta.url);

  function load(file: string): unknown {
    const known = parts.get(file);
    if (known) return known.exports;
    const source = readFileSync(file);
    const sum = crc32(source);
    const kept = readKept(join(folder, basename(file)), sum);
    // The bundle is ASCII, which is read quickest as Latin-1.
    const script = new Script(source.toString('latin1'), {
      filename: file,
      ...(kept && { cachedData: kept.subarray(sumsLength) }),
    });
    release(source);
    if (kept) release(kept);
    const part = { exports: {}, script, sum };
    parts.set(file, part);
    const required = (name: string): unknown =>
      name.startsWith('.') ? load(join(dirname(file), name)) : builtIn(name);
    try {
      asFunction(script.runInThisContext())(required, part.exports, file, dirname(file));
    } catch (error) {
      parts.delete(file);
      throw error;
    }
    return part.exports;
  }

  return {
    load,
    lacks: () => parts.values().some(({ script }) => script.cachedDataRejected !== false),
    keep() {
      const next = `${folder}.next`;
      rmSync(next, { recursive: true, force: true });
      mkdirSync(next, { recursive: true, mode: 0o700 });
      for (const [file, { script, sum }] of parts)
        writeFileSync(join(next, basename(file)), sealed(sum, script.createCachedData()), { mode: 0o600 });
      rmSync(folder, { recursive: true, force: true });
      renameSync(next, folder);
    },
  };
}

const sumsLength = 8;

/** V8 compares no more than the length of the source, and runs a broken compiled form: so both have a sum. */
function sealed(sum: number, compiled: Buffer): Buffer {
  const sums = Buffer.alloc(sumsLength);
  sums.writeUInt32LE(sum, 0);
  sums.writeUInt32LE(crc32(compiled), 4);
  return Buffer.concat([sums, compiled]);
}

/** The sums with the compiled form behind them. */
function readKept(path: string, sum: number): Buffer | undefined {
  let kept: Buffer;
  try {
    kept = readFileSync(path);
  } catch {
    return undefined;
  }
  const isWhole =
    kept.length > sumsLength &&
    kept.readUInt32LE(0) === sum &&
    kept.readUInt32LE(4) === crc32(kept.subarray(sumsLength));
  return isWhole ? kept : undefined;
}

/**
 * Gives the memory of a file back at once: V8 would in its next collection of everything, long after a start,
 * and both files are 6 MB. A small one lies in a pool with others, and stays.
 */
function release({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

type Run = (
  required: (name: string) => unknown,
  exports: object,
  fileName: string,
  folderName: string,
) => void;

/** The packager wrote it as one. */
function asFunction(run: unknown): Run {
  return run as Run;
}
