/** Settings and variables that changed, as people call them. */
import { labelOf } from '../form/label.ts';

/** `env.COLOUR` by its name, and nothing of `env` itself then. */
export function wordsOf(changed: readonly string[]): string[] {
  const names = [...new Set(changed)];
  const blocks = new Set(names.filter((one) => one.includes('.')).map((one) => one.split('.')[0]));
  return names
    .filter((one) => !blocks.has(one))
    .map((one) => (one.includes('.') ? one.slice(one.indexOf('.') + 1) : labelOf(one)));
}
