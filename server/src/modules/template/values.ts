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
export function checkGiven({ title, variables }: Template, given: Given): void {
  const known = new Map(variables.map((variable) => [variable.name, variable]));
  for (const [name, value] of Object.entries(given)) {
    const variable = known.get(name);
    if (variable === undefined)
      throw badField(
        `variables.${name}`,
        known.size === 0
          ? `is not a variable of ${title}, which has none`
          : `is not a variable of ${title}, which has ${[...known.keys()].join(', ')}`,
      );
    if (value !== '' && variable.pattern !== null && !matches(variable.pattern, value))
      throw badField(`variables.${name}`, variable.message);
  }
  for (const { name, required, generate, value, description } of variables)
    if (required && generate === null && value === '' && (given[name] ?? '') === '')
      throw badField(`variables.${name}`, `is required: ${description}`);
}

/** Values by name, in the template's order; `places` has its domains by name, the first one first. */
export function valuesOf(
  { variables }: Pick<Template, 'variables'>,
  given: Given,
  places: ReadonlyMap<string, Place>,
  now: Date,
): Record<string, string> {
  const byName = new Map(variables.map((variable) => [variable.name, variable]));
  const found = new Map<string, string>();
  const valueOf = (name: string): string => {
    const present = found.get(name);
    if (present !== undefined) return present;
    const variable = byName.get(name);
    if (variable === undefined) return '';
    const own = given[name] ?? '';
    const value =
      own !== ''
        ? own
        : variable.generate === null
          ? expand(variable.value, valueOf)
          : makers[variable.generate](variable, { places, valueOf, now });
    found.set(name, value);
    return value;
  };
  return Object.fromEntries(variables.map(({ name }) => [name, valueOf(name)]));
}

/** Most characters of a text with the values in it: values that name each other would grow without end. */
const mostLength = 500_000;

/** The text with `${NAME}` replaced by what `valueOf` has; names that it does not have stay. */
function expand(text: string, valueOf: (name: string) => string | undefined): string {
  let length = text.length;
  return text.replaceAll(reference, (whole, name: string) => {
    const value = valueOf(name) ?? whole;
    length += value.length;
    if (length > mostLength)
      throw badField(
        'variables',
        `with their values in them, texts of the template pass ${mostLength} letters`,
      );
    return value;
  });
}

/** The text with `${NAME}` of the variables replaced; names that are not among them stay. */
export const expandWith = (text: string, values: Given): string =>
  expand(text, (name) => (Object.hasOwn(values, name) ? values[name] : undefined));

const secretMakers: readonly TemplateVariable['generate'][] = ['password', 'key', 'hex', 'base64', 'jwt'];

/** Names of the variables that are secret: marked so, generated as one, or built of one. */
export function secretNames(variables: Template['variables']): ReadonlySet<string> {
  const secrets = new Set(
    variables.flatMap(({ name, secret, generate }) =>
      secret || secretMakers.includes(generate) ? [name] : [],
    ),
  );
  for (let before = -1; before < secrets.size; ) {
    before = secrets.size;
    for (const { name, value } of variables)
      if (references(value).some((other) => secrets.has(other))) secrets.add(name);
  }
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

/** A slow match on a busy machine stays below it; one that takes longer counts as not matching. */
const limitMs = 500;

function matches(pattern: string, value: string): boolean {
  if (isQuick(pattern)) return new RegExp(`^(?:${pattern})$`, 's').test(value);
  try {
    // Another context, since only there the time of a match can be limited.
    const found: unknown = runInNewContext(
      'new RegExp(`^(?:${pattern})$`, "s").test(value)',
      { pattern, value },
      { timeout: limitMs },
    );
    return found === true;
  } catch {
    return false;
  }
}

/** Whether no value can take long: nothing is repeated within a repetition, and at most two parts are. */
function isQuick(pattern: string): boolean {
  const bare = pattern.replaceAll(/\\[^1-9k]|\[(?:[^\]\\]|\\.)*\]/g, 'x');
  const endless = bare.match(/[*+]|\{\d*,\}/g) ?? [];
  return endless.length <= 2 && !/\)[*+{?]|\\|\(\?[^:]/.test(bare);
}
