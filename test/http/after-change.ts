/** A record as the answer of a change has it: the same without its secrets (decisions 2). */
import { maskLines, maskText } from '../../server/src/domain/secrets/mask.ts';

const maskings: Readonly<Record<string, (value: string) => string>> = {
  databasePassword: maskText,
  databaseRootPassword: maskText,
  composeFile: maskText,
  content: maskText,
  env: maskLines,
};

export function afterChange(record: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' ? (maskings[name]?.(value) ?? value) : value,
    ]),
  );
}
