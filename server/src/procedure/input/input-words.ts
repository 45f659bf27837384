/** What is wrong with an input, in words for whoever sent it. */
import type { z } from 'zod';

type RawIssue = z.core.$ZodRawIssue;

const typeWords: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  date: 'a time',
};

const formWords: Record<string, string> = {
  email: 'must be an email address',
  url: 'must be an address such as https://example.com',
  datetime: 'must be a time such as 2026-01-31T12:00:00Z',
  date: 'must be a date such as 2026-01-31',
  time: 'must be a time of day such as 12:00',
  ipv4: 'must be an IPv4 address',
  ipv6: 'must be an IPv6 address',
  base64: 'must be base64',
  json_string: 'must be JSON',
};

export const isRequired = 'is required';

/**
 * For zod, in place of its own words; a schema that has words of its own keeps them. What was sent is never
 * repeated, since it may be a secret; its length and its number are.
 */
export function wordsOf(issue: RawIssue): string {
  // What is not there is absent, whatever it should have been.
  if (issue.input === undefined && (issue.path?.length ?? 0) > 0) return isRequired;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeOf(issue)}, not ${kindOf(issue.input)}`;
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return `must ${bound(issue, 'maximum', 'at most', 'less than')}`;
    case 'invalid_format':
      return formOf(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${String(issue['divisor'])}`;
    case 'unrecognized_keys':
      return `has no field ${listed(issue['keys'])}`;
    case 'invalid_value':
      return valueWords(issue['values']);
    case 'invalid_union':
      // Of which a field says which one is meant: these are its values.
      return Array.isArray(issue['options'])
        ? valueWords(issue['options'])
        : 'matches none of the forms that are allowed here';
    case 'invalid_key':
      return 'has a name in it that is not allowed';
    case 'invalid_element':
      return 'has an entry in it that is not allowed';
    default:
      return 'is not valid';
  }
}

const typeOf = (issue: RawIssue): string => typeWords[String(issue['expected'])] ?? 'another kind of value';

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a number with a fraction';
  return (
    { string: 'a string', boolean: 'true or false', object: 'an object' }[String(typeof value)] ??
    typeof value
  );
}

function tooSmall(issue: RawIssue): string {
  const isText = issue['origin'] === 'string' || issue['origin'] === 'array';
  if (isText && issue['minimum'] === 1) return 'must not be empty';
  return `must ${bound(issue, 'minimum', 'at least', 'more than')}`;
}

const units: Record<string, [one: string, many: string]> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
  map: ['entry', 'entries'],
};

/** `have at most 100 characters; it has 120` or `be at most 10; it is 12`. */
function bound(issue: RawIssue, name: 'minimum' | 'maximum', inclusive: string, exclusive: string): string {
  const limit = String(issue[name]);
  const which = issue['exact'] === true ? 'exactly' : issue['inclusive'] === false ? exclusive : inclusive;
  const unit = units[String(issue['origin'])];
  if (!unit) return `be ${which} ${limit}${typeof issue.input === 'number' ? `; it is ${issue.input}` : ''}`;
  const length =
    typeof issue.input === 'string' || Array.isArray(issue.input) ? issue.input.length : undefined;
  const has = length === undefined ? '' : `; it has ${length}`;
  return `have ${which} ${limit} ${limit === '1' ? unit[0] : unit[1]}${has}`;
}

function formOf(issue: RawIssue): string {
  const format = String(issue['format']);
  if (format === 'starts_with') return `must begin with ${String(issue['prefix'])}`;
  if (format === 'ends_with') return `must end with ${String(issue['suffix'])}`;
  if (format === 'includes') return `must contain ${String(issue['includes'])}`;
  if (format === 'regex') return `must have the form ${String(issue['pattern'])}`;
  return formWords[format] ?? `is no ${format}`;
}

function valueWords(values: unknown): string {
  const allowed = Array.isArray(values) ? values : [];
  return allowed.length === 1 ? `must be ${listed(allowed)}` : `must be one of ${listed(allowed)}`;
}

const listed = (values: unknown): string =>
  Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(', ') : '';
