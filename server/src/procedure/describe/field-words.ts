/**
 * Descriptions of fields that mean the same wherever they stand, for the published documents. A schema that
 * has a description of its own keeps it; a row `parent.name` stands above a row `name`.
 */
import { fieldTable } from './field-table.ts';

/**
 * Describes a field; undefined for a name that the table does not know. `parent` is the field or record
 * around it.
 */
export function fieldWords(name: string, parent: string): string | undefined {
  return fieldTable[`${parent}.${name}`] ?? fieldTable[name] ?? idWords(name);
}

/** Names of fields that hold a time in ISO 8601. */
export const isTimeName = (name: string): boolean =>
  /(?:At|Since|Until)$|^at$/.test(name) || timeNames.has(name);

const timeNames = new Set(['timestamp', 'since', 'notBefore', 'expirationDate']);

function idWords(name: string): string | undefined {
  const [, subject] = /^(?:target)?([a-zA-Z]+)Id$/.exec(name) ?? [];
  if (subject === undefined) return undefined;
  const spoken = subject.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
  return `Id of the ${spoken}`;
}
