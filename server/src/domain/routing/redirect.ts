/** A redirect by regular expression: what may be written, and the replacement taken apart. Pure. */
import { badField } from '../errors.ts';
import { maxRegexLength, parseRegex } from './regex.ts';

/** Text as it stands, or the group whose text stands here: by number (0: all that matched) or by name. */
export type ReplacementPart = string | { group: number | string };

/** Takes the replacement apart; throws BAD_REQUEST naming `field` for what the proxy would read otherwise. */
export function parseReplacement(text: string, field = 'replacement'): ReplacementPart[] {
  if (text === '') throw badField(field, 'is empty');
  if (text.length > maxRegexLength) throw badField(field, `has more than ${maxRegexLength} characters`);
  // An address has nothing else; braces would be placeholders to the proxy.
  if (!/^(?:[!#-;=?-Z[\]_a-z~]|\$\{[A-Za-z0-9_]+\})+$/.test(text))
    throw badField(
      field,
      'may hold visible ASCII without spaces, and without any of { } < > " \\ ^ ` | beside groups such ' +
        'as $1 and ${1}',
    );
  const parts: ReplacementPart[] = [];
  for (const [token, number, name] of text.matchAll(/\$\$|\$([0-9]{1,3})|\$\{([A-Za-z0-9_]+)\}|\$|[^$]+/g)) {
    if (token === '$')
      throw badField(
        field,
        'has a "$" that names no group; write $1 or ${1} for a group and $$ for the character',
      );
    const group = number ?? name;
    parts.push(
      group === undefined
        ? token === '$$'
          ? '$'
          : token
        : { group: /^[0-9]+$/.test(group) ? Number(group) : group },
    );
  }
  return parts;
}

/**
 * Both together: the replacement names groups that the regular expression has. Throws BAD_REQUEST naming the
 * field.
 */
export function checkRedirect({ regex, replacement }: { regex: string; replacement: string }): void {
  const { groups, names } = parseRegex(regex);
  for (const part of parseReplacement(replacement)) {
    if (typeof part === 'string') continue;
    const isThere = typeof part.group === 'number' ? part.group <= groups : names.includes(part.group);
    if (!isThere)
      throw badField(
        'replacement',
        `names the group ${part.group}, but regex has ${countOfGroups(groups, names)}`,
      );
  }
}

function countOfGroups(groups: number, names: readonly string[]): string {
  if (groups === 0) return 'no group';
  const named = names.length > 0 ? ` (named: ${names.join(', ')})` : '';
  return `${groups} group${groups === 1 ? '' : 's'}${named}`;
}
