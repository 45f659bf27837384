/**
 * What main is made of joins parts: it refuses nothing and decides nothing, since no quick test reaches it.
 */
import type { Line } from './width.ts';

const composition = /^server\/src\/composition\/.*(?<!\.test)\.ts$/;
const comment = /^\s*(\*|\/\*|\/\/)/;

const rules: readonly { what: RegExp; doing: string }[] = [
  { what: /\bAppError\b|\bthrow\b/, doing: 'refuses something' },
  { what: /\bif \(|\bswitch \(|\bfor (await )?\(|\bwhile \(|\btry \{/, doing: 'decides something' },
  // To hand a query over is joining; to wait for its answer is to go on with it.
  { what: /\bawait \(?(\w+\.)?stores\./, doing: 'reads a table' },
  { what: /'(kysely|pg|node:sqlite)'/, doing: 'speaks SQL' },
];

/** One sentence per line of `server/src/composition/` that does more than join. */
export function compositionFaults(lines: readonly Line[]): string[] {
  const own = lines.filter(({ file }) => composition.test(file));
  if (own.length === 0)
    return ['The check of the composition saw no line of it, so it proves nothing. Mend its list of files.'];
  return own
    .filter(({ text }) => !comment.test(text))
    .flatMap(({ file, number, text }) =>
      rules
        .filter(({ what }) => what.test(text))
        .map(
          ({ doing }) =>
            `${file}:${number} ${doing}. Move the rule to modules/, deploy/, reconcile/ or an adapter.`,
        ),
    );
}
