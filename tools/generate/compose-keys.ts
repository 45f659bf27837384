import { keyFates } from '../../server/src/modules/compose/translation/keys.ts';
import type { Fate } from '../../server/src/modules/compose/translation/schema.ts';

const explanation = [
  'What becomes of each key of the compose specification, from the tables that files are read by. `*` ' +
    'stands for a name, or for an item of a list. A key that is not here is refused with its line and ' +
    'the nearest one; `x-…` is passed over.',
  '',
  '- **honoured**: as docker compose has it; differences are in the [guide](../guide/compose.md).',
  "- **no effect**: the deployment's log names it with this reason.",
  '- **refused**: when the file is saved, or when its profile is chosen, with this sentence. Values that ' +
    'ask for nothing, such as `privileged: false`, are let through.',
].join('\n');

const words = (fate: Fate | undefined): string => {
  if (fate === undefined) return 'honoured';
  return 'note' in fate ? `no effect: ${fate.note}` : `refused: ${fate.refusal}`;
};

/** Title and sections of the page. */
export function composeKeysPage(): [string, string[]] {
  const rows = keyFates()
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    .map(({ path, fate }) => `| \`${path}\` | ${words(fate).replaceAll('|', '\\|')} |`);
  return ['Keys of compose files', [explanation, ['| key | here |', '|---|---|', ...rows].join('\n')]];
}
