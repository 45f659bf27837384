import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Keeps the newest releases (and always those named); gives the ids that were removed. Halves of broken-off
 * runs go too.
 */
export function pruneReleases(
  releases: string,
  options: { keep: number; always: readonly string[] },
): string[] {
  const entries = readdirSync(releases).map((id) => ({ id, madeAt: statSync(join(releases, id)).mtimeMs }));
  const whole = entries.filter(({ id }) => !id.startsWith('.')).toSorted((a, b) => b.madeAt - a.madeAt);
  const ranked = [...new Set([...options.always, ...whole.map(({ id }) => id)])];
  const kept = new Set(ranked.slice(0, Math.max(options.keep, options.always.length)));
  const removed = entries.map(({ id }) => id).filter((id) => !kept.has(id));
  for (const id of removed) rmSync(join(releases, id), { recursive: true, force: true });
  return removed;
}
