/** What led to a failure, the last thing first: for a log. */
import { inspect } from 'node:util';

const most = 6;

export function causesOf(error: unknown): string[] {
  const chain: string[] = [];
  for (
    let at: unknown = error;
    at !== undefined && chain.length < most;
    at = at instanceof Error ? at.cause : undefined
  ) {
    chain.push(at instanceof Error ? (at.stack ?? at.message) : inspect(at));
  }
  return chain;
}
