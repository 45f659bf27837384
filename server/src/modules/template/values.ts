/** Values of a template's variables: given, generated, or built of others. */
import { createHmac, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { badField } from '../../domain/errors.ts';
import { randomId } from '../../ports/clock.ts';
import { reference, references } from './references.ts';
import type { Template, TemplateVariable } from './record.ts';

/** A domain as it was made: the host, and the address with scheme, port and path. */
export interface Place {
  host: string;
  address: string;
}

type Given = Readonly<Record<string, string>>;

/** BAD_REQUEST for a name that the template does not have, and for a value that does not fit. */
export function checkGiven(template: Template, given: Given): void {
  const { title, variables } = template;
  const known = new Set(variables.map(({ name }) => name));
  const other = Object.keys(given).find((name) => !known.has(name));
  if (other !== undefined)
    throw badField(
      `variables.${other}`,
      known.size === 0
        ? `is not a variable of ${title}, which has none`
        : `is not a variable of ${title}, which has ${[...known.keys()].join(', ')}`,
    );
  checkPatterns(template, given);
  for (const { name, required, generate, value, description } of variables)
    if (required && generate === null && value === '' && givenOf(given, name) === '')
      throw badField(`variables.${name}`, `is required: ${description}`);
}

/** Milliseconds of all patterns of a template together; one that is not done by then does not match. */
const patternsLimitMs = 200;

/**
 * In another context, since only there the time of a match can be limited, and all in one: patterns and
 * values come from whoever sends the template, and all of Berth waits for them.
 */
function checkPatterns({ variables }: Template, given: Given): void {
  const patterned = variables.flatMap(({ name, pattern, message }) => {
    const value = givenOf(given, name);
    return pattern === null || value === '' ? [] : [{ name, pattern, message, value }];
  });
  if (patterned.length === 0) return;
  const matched: string[] = [];
  const sandbox = {
    pairs: JSON.stringify(patterned.map(({ name, pattern, value }) => [name, pattern, value])),
    onMatch: (name: string) => void matched.push(name),
  };
  try {
    runInNewContext(matchAll, sandbox, { timeout: patternsLimitMs });
  } catch {
    // Its time is over: the first pattern that is not done is the one that is told.
  }
  const wrong = patterned.find(({ name }) => !matched.includes(name));
  if (wrong) throw badField(`variables.${wrong.name}`, wrong.message);
}

const matchAll =
  'for (const [name, pattern, value] of JSON.parse(pairs)) ' +
  'if (new RegExp(`^(?:${pattern})$`, "s").test(value)) onMatch(name); else break';

/** What was given for this name, which may be that of a method of every object; empty: nothing. */
export const givenOf = (given: Given, name: string): string =>
  Object.hasOwn(given, name) ? (given[name] ?? '') : '';

/** Values by name, in the template's order; `places` has its domains by name, the first one first. */
export function valuesOf(
  { variables }: Pick<Template, 'variables'>,
  given: Given,
  places: ReadonlyMap<string, Place>,
  now: Date,
): Record<string, string> {
  const byName = new Map(variables.map((variable) => [variable.name, variable]));
  const found = new Map<string, string>();
  const room = { left: mostLength };
  const valueOf = (name: string): string => {
    const present = found.get(name);
    if (present !== undefined) return present;
    const variable = byName.get(name);
    if (variable === undefined) return '';
    const own = givenOf(given, name);
    const value =
      own !== ''
        ? own
        : variable.generate === null
          ? expand(variable.value, valueOf, room)
          : makers[variable.generate](variable, { places, valueOf, now });
    found.set(name, value);
    return value;
  };
  return Object.fromEntries(variables.map(({ name }) => [name, valueOf(name)]));
}

/** Most characters of all values together: those that name each other would grow without end. */
const mostLength = 500_000;

interface Room {
  left: number;
}

/** The text with `${NAME}` replaced by what `valueOf` has; names that it does not have stay. */
function expand(text: string, valueOf: (name: string) => string | undefined, room: Room): string {
  return text.replaceAll(reference, (whole, name: string) => {
    const value = valueOf(name) ?? whole;
    room.left -= value.length;
    if (room.left < 0)
      throw badField(
        'variables',
        `with their values in them, texts of the template pass ${mostLength} letters`,
      );
    return value;
  });
}

/** The text with `${NAME}` of the variables replaced; names that are not among them stay. */
export const expandWith = (text: string, values: Given): string =>
  expand(text, (name) => (Object.hasOwn(values, name) ? values[name] : undefined), { left: mostLength });

const secretMakers: readonly TemplateVariable['generate'][] = ['password', 'key', 'hex', 'base64', 'jwt'];

/** Names of the variables that are secret: marked so, generated as one, or built of one. */
export function secretNames(variables: Template['variables']): ReadonlySet<string> {
  const secrets = new Set(
    variables.flatMap(({ name, secret, generate }) =>
      secret || secretMakers.includes(generate) ? [name] : [],
    ),
  );
  const users = new Map<string, string[]>();
  for (const { name, value } of variables)
    for (const other of new Set(references(value))) users.set(other, [...(users.get(other) ?? []), name]);
  // A set is walked with what is added meanwhile.
  for (const name of secrets) for (const user of users.get(name) ?? []) secrets.add(user);
  return secrets;
}

interface Making {
  places: ReadonlyMap<string, Place>;
  valueOf(name: string): string;
  now: Date;
}

const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const lowerCase = 'abcdefghijklmnopqrstuvwxyz';

const makers = {
  password: ({ length, alphabet }) =>
    length === null && alphabet === null
      ? randomId(24)
      : charactersOf(alphabet ?? lettersAndDigits, length ?? 24),
  key: () => randomBytes(32).toString('hex'),
  hex: ({ length }) => randomBytes(length ?? 32).toString('hex'),
  base64: ({ length }) => randomBytes(length ?? 32).toString('base64'),
  uuid: () => randomUUID(),
  username: ({ length }) =>
    charactersOf(lowerCase, 1) + charactersOf(`${lowerCase}0123456789`, (length ?? 10) - 1),
  jwt: ({ claims, signedWith }, { valueOf, now }) => jwtOf(claims ?? {}, valueOf(signedWith ?? ''), now),
  host: ({ domain }, { places }) => placeOf(places, domain).host,
  address: ({ domain }, { places }) => placeOf(places, domain).address,
  scheme: ({ domain }, { places }) => schemeOf(placeOf(places, domain)),
  https: ({ domain }, { places }) => String(schemeOf(placeOf(places, domain)) === 'https'),
} satisfies Record<
  NonNullable<TemplateVariable['generate']>,
  (variable: TemplateVariable, making: Making) => string
>;

const charactersOf = (alphabet: string, length: number): string => {
  const characters = Array.from(alphabet);
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join('');
};

const placeOf = (places: ReadonlyMap<string, Place>, domain: string | null): Place =>
  (domain === null ? [...places.values()][0] : places.get(domain)) ?? { host: '', address: '' };

const schemeOf = ({ address }: Place): string => address.slice(0, address.indexOf(':'));

const tenYearsSeconds = 10 * 365 * 86_400;

/** RFC 7519 with HS256 (RFC 7518, section 3.2). */
function jwtOf(claims: Readonly<Record<string, unknown>>, secret: string, now: Date): string {
  const iat = Math.floor(now.getTime() / 1000);
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const body = part({ iat, exp: iat + tenYearsSeconds, ...claims });
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${body}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}
