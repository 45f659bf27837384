/** Reads what set-up asks of this start, and removes it once it is done. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { nextStartFile, parseNextStart, type NextStart } from '../domain/states/next-start.ts';

const pathIn = (data: string): string => join(data, nextStartFile);

export function readNextStart(data: string): NextStart {
  return parseNextStart(existsSync(pathIn(data)) ? readFileSync(pathIn(data), 'utf8') : undefined);
}

export const forgetNextStart = (data: string): void => rmSync(pathIn(data), { force: true });
