/** No answer of the interface holds a stored secret that is not marked, whoever writes the next procedure. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { tables } from '../../server/src/db/tables.ts';
import { contracts } from '../../server/src/modules/contracts.ts';
import { listProcedures } from '../../server/src/procedure/describe/listing.ts';
import { listAnswers } from '../../server/src/procedure/input/page.ts';
import { innerOf, isMarked } from '../../server/src/procedure/secret-fields.ts';

/** Names of secret columns, and of what is as good as one. */
const secretNames = new Set([
  ...Object.values(tables).flatMap((columns) =>
    Object.entries(columns).flatMap(([name, column]) => (column.kind === 'secret' ? [name] : [])),
  ),
  'refreshToken',
  'internal',
  'external',
  'token',
  'metricsToken',
  'key',
  'otpauthUrl',
  'recoveryCodes',
]);

/** Made in that moment, in its answer, and never again (interface document, API key; decisions 12). */
const shownOnce = new Set([
  'user.createApiKey key',
  'sshKey.makePair privateKey',
  'destination.makeKey identity',
  'organization.invite token',
  'user.twoFactorSetUp secret',
  'user.twoFactorSetUp otpauthUrl',
  'user.twoFactorConfirm recoveryCodes[]',
  'user.twoFactorNewRecoveryCodes recoveryCodes[]',
]);

/** Names of keys of Redis, in answers that are refused as a whole without canReadSecrets. */
const behindTheGrant = new Set(['database.keys keys[].key', 'database.value key']);

/** Files that come with Berth, the same for everybody. */
const published = new Set(['template.one files[].content']);

interface Field {
  path: string;
  name: string;
  schema: z.ZodType;
}

/** They hold no text, or one of a few known ones; what is unknown is the handler's to hide (getConfig). */
const leaves = [
  z.ZodNumber,
  z.ZodBoolean,
  z.ZodEnum,
  z.ZodLiteral,
  z.ZodNull,
  z.ZodUnknown,
  z.ZodStringFormat,
  z.ZodNever,
];

/** Every text of a schema with the name of the field that holds it. */
function textsOf(schema: z.ZodType, path = '', name = ''): Field[] {
  if (schema instanceof z.ZodObject)
    return Object.entries<z.ZodType>(schema.shape).flatMap(([field, inside]) =>
      textsOf(inside, path === '' ? field : `${path}.${field}`, field),
    );
  if (schema instanceof z.ZodArray) return textsOf(asType(schema.element), `${path}[]`, name);
  if (schema instanceof z.ZodRecord) return textsOf(asType(schema.valueType), `${path}[]`, name);
  if (schema instanceof z.ZodUnion)
    return schema.options.flatMap((option) => textsOf(asType(option), path, name));
  const inner = innerOf(schema);
  if (inner) return textsOf(inner, path, name);
  if (schema instanceof z.ZodString) return [{ path, name, schema }];
  if (leaves.some((kind) => schema instanceof kind)) return [];
  throw new Error(`The walk does not know what is inside of ${path}: ${schema.constructor.name}.`);
}

function asType(schema: unknown): z.ZodType {
  if (!(schema instanceof z.ZodType)) throw new Error('This is no schema of zod.');
  return schema;
}

const procedures = listProcedures(contracts);
const fields = procedures.flatMap(({ path, procedure }) =>
  [procedure.output, ...(procedure.whole ? [procedure.whole.output] : [])].flatMap((output) =>
    textsOf(output).map((field) => ({ ...field, procedure: path })),
  ),
);

it('every secret that reaches an answer is marked', () => {
  const forgotten = fields.flatMap(({ procedure, path, name, schema }) =>
    secretNames.has(name) &&
    !isMarked(schema) &&
    ![shownOnce, behindTheGrant, published].some((known) => known.has(`${procedure} ${path}`))
      ? [`${procedure} ${path}`]
      : [],
  );
  expect(forgotten).toEqual([]);
});

/** Of one service, whose containers and files of mounts have limits of their own. */
const ofOneService = new Set([
  'mount.byApplicationId',
  'mount.byComposeId',
  'container.getServiceContainersByAppName',
]);

it('no list carries variables or other secrets, which would make it as large as all of them', () => {
  const inLists = procedures
    .filter(({ procedure }) => listAnswers(procedure.output))
    .flatMap(({ path }) => (ofOneService.has(path) ? [] : [path]));
  expect(inLists.length).toBeGreaterThan(30);
  expect(
    fields.flatMap(({ procedure, path, schema }) =>
      inLists.includes(procedure) && isMarked(schema) ? [`${procedure} ${path}`] : [],
    ),
  ).toEqual([]);
});

it('the walk sees the secrets that the document has in its records', () => {
  const marked = new Set(
    fields.flatMap(({ procedure, path, schema }) => (isMarked(schema) ? [`${procedure} ${path}`] : [])),
  );
  for (const field of [
    'application.one env',
    'application.one buildSecrets',
    'application.one refreshToken',
    'application.one mounts[].content',
    'compose.one composeFile',
    'environment.one env',
    'mysql.one databaseRootPassword',
    'postgres.one connection.external',
    'postgres.deploy databasePassword',
    'project.one environments[].env',
    'redis.update databasePassword',
  ])
    expect([field, marked.has(field)]).toEqual([field, true]);
});

it('what is listed as shown once is there', () => {
  const all = new Set(fields.map(({ procedure, path }) => `${procedure} ${path}`));
  for (const field of shownOnce) expect([field, all.has(field)]).toEqual([field, true]);
});
