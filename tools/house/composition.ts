/** What main is made of joins parts: it refuses nothing, since no quick test reaches it. */
import type { Line } from './width.ts';

const composition = /^server\/src\/composition\/.*(?<!\.test)\.ts$/;

/** One sentence per line of `server/src/composition/` that refuses something. */
export function compositionFaults(lines: readonly Line[]): string[] {
  const own = lines.filter(({ file }) => composition.test(file));
  if (own.length === 0)
    return ['The check of the composition saw no line of it, so it proves nothing. Mend its list of files.'];
  return own
    .filter(({ text }) => /\bnew AppError\(/.test(text))
    .map(
      ({ file, number }) =>
        `${file}:${number} refuses something. Move the rule to modules/, deploy/, reconcile/ or an adapter.`,
    );
}
