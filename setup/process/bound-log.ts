/** Keeps a log file bounded while its writer goes on. */
import { copyFileSync, statSync, truncateSync } from 'node:fs';

/**
 * Puts a log beyond the limit (bytes) aside as `<file>.1` (one is kept) and empties it. The writer must have
 * it open for appending: it then goes on at the new end.
 */
export function boundLog(file: string, limit: number): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= limit) return;
  try {
    copyFileSync(file, `${file}.1`);
    truncateSync(file);
  } catch (error) {
    // A full disk must not end Berth; the next minute tries again.
    process.emitWarning(`The log ${file} could not be bounded: ${String(error)}`);
  }
}
