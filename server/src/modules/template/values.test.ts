import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { templateOf } from './format.ts';
import { templateDefinition, type Template } from './record.ts';
import { checkGiven, secretNames, valuesOf } from './values.ts';

const whole = (variables: object[]): Template =>
  templateOf(
    templateDefinition.parse({
      name: 'app',
      title: 'App',
      description: 'An app.',
      website: 'https://app.example.com',
      firstSignIn: 'Open it.',
      file: 'services:\n  app:\n    image: app:1.0\n',
      service: 'app',
      port: 80,
      variables: variables.map((one) => ({ description: 'Such', ...one })),
    }),
  );
const places = new Map([['web', { host: 'app.example.com', address: 'https://app.example.com' }]]);
const now = new Date('2026-11-27T00:00:00Z');
const values = (variables: object[], given: Record<string, string> = {}): Record<string, string> =>
  valuesOf(whole(variables), given, places, now);

it.each([
  [{ generate: 'password' }, /^[A-Za-z0-9]{24}$/],
  [{ generate: 'password', length: 40 }, /^[A-Za-z0-9]{40}$/],
  [{ generate: 'password', length: 12, alphabet: 'ab-' }, /^[ab-]{12}$/],
  [{ generate: 'key' }, /^[0-9a-f]{64}$/],
  [{ generate: 'hex', length: 8 }, /^[0-9a-f]{16}$/],
  [{ generate: 'base64', length: 48 }, /^[A-Za-z0-9+/]{64}$/],
  [{ generate: 'uuid' }, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  [{ generate: 'username', length: 6 }, /^[a-z][a-z0-9]{5}$/],
  [{ generate: 'host' }, /^app\.example\.com$/],
  [{ generate: 'address', domain: 'web' }, /^https:\/\/app\.example\.com$/],
  [{ generate: 'scheme' }, /^https$/],
  [{ generate: 'https' }, /^true$/],
])('generates %j', (variable, pattern) => {
  const [first, second] = [0, 1].map(() => values([{ name: 'X', ...variable }])['X']);
  expect(first).toMatch(pattern);
  expect(first === second).toBe(/host|address|scheme|https/.test(variable.generate));
});

it('takes a variable that is called like a method of every object for what it is', () => {
  expect(values([{ name: 'constructor', value: 'plain' }])).toEqual({ constructor: 'plain' });
});

it('signs a jwt with the value of another variable', () => {
  const { TOKEN = '' } = values([
    { name: 'TOKEN', generate: 'jwt', signedWith: 'SECRET', claims: { role: 'anon', exp: 2_000_000_000 } },
    { name: 'SECRET', value: 'sesame' },
  ]);
  const [head = '', body = '', signature] = TOKEN.split('.');
  const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
  expect(read(head)).toEqual({ alg: 'HS256', typ: 'JWT' });
  expect(read(body)).toEqual({ role: 'anon', iat: now.getTime() / 1000, exp: 2_000_000_000 });
  expect(signature).toBe(createHmac('sha256', 'sesame').update(`${head}.${body}`).digest('base64url'));
});

it('builds values of others, whatever their order, and knows which are secret by it', () => {
  const variables = [
    { name: 'DATABASE_URL', value: 'postgres://${DB_USER}:${DB_PASSWORD}@db/app?x=$y' },
    { name: 'DB_USER', value: 'app' },
    { name: 'DB_PASSWORD', generate: 'password' },
    { name: 'MAIL_PASSWORD', secret: true },
  ];
  expect(values(variables, { DB_PASSWORD: 'a${DB_USER}$' })['DATABASE_URL']).toBe(
    'postgres://app:a${DB_USER}$@db/app?x=$y',
  );
  expect([...secretNames(whole(variables).variables)].toSorted()).toEqual([
    'DATABASE_URL',
    'DB_PASSWORD',
    'MAIL_PASSWORD',
  ]);
});

it.each([
  ['must be the name of a variable', [{ name: 'a-b' }]],
  ['definition.variables.1.name', [{ name: 'A' }, { name: 'A' }]],
  ['definition.variables.0.value', [{ name: 'A', value: '${B}' }]],
  [
    'definition.variables',
    [
      { name: 'A', value: '${B}' },
      { name: 'B', value: '${A}' },
    ],
  ],
  ['definition.variables.0.value', [{ name: 'A', generate: 'key', value: 'x' }]],
  ['definition.variables.0.alphabet', [{ name: 'A', generate: 'key', alphabet: 'ab' }]],
  ['definition.variables.0.length', [{ name: 'A', length: 4 }]],
  ['definition.variables.0.signedWith', [{ name: 'A', generate: 'jwt' }]],
  ['definition.variables.0.domain', [{ name: 'A', generate: 'host', domain: 'api' }]],
  ['definition.variables.0.message', [{ name: 'A', pattern: 'a' }]],
  ['definition.variables.0.pattern', [{ name: 'A', pattern: '(', message: 'm' }]],
])('a template is refused at %s', (field, variables) => {
  expect(() => whole(variables)).toThrow(field);
});

it('refuses values that grow without end', () => {
  const grown = Array.from({ length: 20 }, (_one, index) => ({
    name: `A${index}`,
    value: index === 0 ? 'x'.repeat(100) : `\${A${index - 1}}`.repeat(100),
  }));
  expect(() => values(grown)).toThrow('500000 letters');
});

it.each(['(a+)+b', 'a?'.repeat(60) + 'a'.repeat(60) + 'b', 'a{0,999}a{0,999}a{0,999}a{0,999}b'])(
  'gives up the pattern %s, which would take for ever, and names its variable',
  (pattern) => {
    const slow = whole([
      { name: 'A', pattern: '[a-z]+', message: 'must be small letters' },
      { name: 'B', pattern, message: 'must end with b' },
    ]);
    expect(() => checkGiven(slow, { A: 'x', B: `${'a'.repeat(80)}b` })).not.toThrow();
    expect(() => checkGiven(slow, { A: 'x', B: 'a'.repeat(3000) })).toThrow('variables.B: must end with b');
    expect(() => checkGiven(slow, { A: 'X', B: 'a'.repeat(3000) })).toThrow('variables.A: must be small');
  },
);
