/** The token for the first account: its hash stands in a file that set-up wrote (decisions 2). */
import { timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firstSignUpFile, firstSignUpHash } from '../../domain/access/first-sign-up.ts';

/** Read at each attempt: set-up may have made another token meanwhile. */
export function firstSignUp(data: string): { accepts(token: string): Promise<boolean> } {
  return {
    async accepts(token) {
      const kept = Buffer.from((await keptHash(join(data, firstSignUpFile))).trim());
      const given = Buffer.from(firstSignUpHash(token));
      return kept.length === given.length && timingSafeEqual(kept, given);
    },
  };
}

async function keptHash(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
