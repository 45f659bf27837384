/** Small JSON files of ours: written whole or not at all, readable by root only. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { AppError } from '../server/src/domain/errors.ts';

/**
 * The record, or undefined when there is none. A file that does not parse is refused: guessing could end the
 * wrong process.
 */
export function readRecord<T>(path: string, schema: z.ZodType<T>): T | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new AppError(
      'PRECONDITION_FAILED',
      `${path} is damaged. Look at it, remove it when it holds nothing you need, and run the command again.`,
      { cause },
    );
  }
}

export function writeRecord(path: string, value: unknown): void {
  writePrivate(path, `${JSON.stringify(value, undefined, 2)}\n`);
}

export function removeRecord(path: string): void {
  rmSync(path, { force: true });
}

/** The file's text, or undefined when it does not exist. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a file of mode 0600 by rename, so that a reader sees the old text or the new one. */
export function writePrivate(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.new`;
  rmSync(fresh, { force: true });
  writeFileSync(fresh, text, { mode: 0o600, flush: true });
  renameSync(fresh, path);
}
