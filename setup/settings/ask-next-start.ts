/** Asks something of the next start of Berth alone. */
import { nextStartFile, parseNextStart, type NextStart } from '../../server/src/domain/states/next-start.ts';
import { join } from 'node:path';
import { readText, writePrivate } from '../record.ts';

/** Adds to what is asked already. */
export function askNextStart(data: string, asked: NextStart): void {
  const path = join(data, nextStartFile);
  writePrivate(path, JSON.stringify({ ...parseNextStart(readText(path)), ...asked }));
}
