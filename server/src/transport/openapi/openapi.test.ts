import { describe, expect, it } from 'vitest';
import { errorCodes } from '../../domain/errors.ts';
import { contracts } from '../../modules/contracts.ts';
import { isSchema, propertiesOf, type Schema } from '../../procedure/describe/describe-type.ts';
import { isTimeName } from '../../procedure/describe/field-words.ts';
import { listProcedures } from '../../procedure/describe/listing.ts';
import { berthFileSchema } from './berth-file-schema.ts';
import { createOpenapi } from './openapi.ts';

const document = createOpenapi(listProcedures(contracts), '1.0.0');
const operations = Object.entries(Object(document['paths'])).flatMap(([path, methods]) =>
  Object.values(Object(methods)).map((operation) => ({ path, operation: Object(operation) })),
);

/** Every object of the document with the place where it stands; examples are values and left out. */
function* schemasIn(value: unknown, place: string): Generator<{ place: string; schema: Schema }> {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* schemasIn(item, `${place}/${index}`);
  if (!isSchema(value)) return;
  yield { place, schema: value };
  for (const [name, item] of Object.entries(value))
    if (!['example', 'examples', 'default'].includes(name)) yield* schemasIn(item, `${place}/${name}`);
}
const all = [...schemasIn(document, ''), ...schemasIn(JSON.parse(berthFileSchema()), 'berth.yml')];

it('no procedure of the document answers that it is not there yet', () => {
  const text = JSON.stringify(document);
  const statuses = operations.flatMap(({ operation }) => Object.keys(Object(operation['responses'])));
  expect(statuses).toContain('503');
  expect(statuses).not.toContain('501');
  expect(text).not.toContain('NOT_IMPLEMENTED');
  expect(Object.values(errorCodes).map(({ httpStatus }): number => httpStatus)).not.toContain(501);
});

describe('what readers of JSON Schema make of it', () => {
  it('every pattern means the same with the flag u and without, and has a type beside it', () => {
    const patterns = all.filter(({ schema }) => typeof schema['pattern'] === 'string');
    expect(patterns.length).toBeGreaterThan(100);
    const odd = patterns.filter(({ schema: { pattern, type } }) => {
      const text = String(pattern);
      return type === undefined || /\\[pPu]\{/.test(text) || !compiles(text, '') || !compiles(text, 'u');
    });
    expect(odd).toEqual([]);
  });

  it('every pattern is one that Go and Rust read: no look-around, no slash escaped in vain', () => {
    const odd = all.filter(
      ({ schema: { pattern } }) => typeof pattern === 'string' && /\(\?(?!:)|\\\//.test(pattern),
    );
    expect(odd).toEqual([]);
  });

  it('no text is made of several patterns: generators find no type in that', () => {
    expect(all.filter(({ schema }) => 'allOf' in schema)).toEqual([]);
  });

  it('no field of an answer has a default', () => {
    const answers = all.filter(({ place }) => /\/responses\/|^\/components\/schemas\//.test(place));
    expect(answers.filter(({ schema }) => 'default' in schema && !isSchema(schema['default']))).toEqual([]);
    const inputs = all.filter(({ place }) => place.includes('/requestBody/'));
    expect(inputs.filter(({ schema }) => 'default' in schema).length).toBeGreaterThan(20);
  });

  it('an answer may get further fields', () => {
    const closed = all.filter(({ schema }) => schema['additionalProperties'] === false);
    expect(closed.filter(({ place }) => !/\/requestBody\/|\/parameters\/|^berth\.yml/.test(place))).toEqual(
      [],
    );
  });

  it('no integer is bounded by what JavaScript can count to', () => {
    const bounds = all.flatMap(({ schema: { minimum, maximum } }) => [minimum, maximum]);
    expect(bounds.filter((bound) => typeof bound === 'number').length).toBeGreaterThan(100);
    expect(bounds.filter((bound) => Math.abs(Number(bound ?? 0)) === Number.MAX_SAFE_INTEGER)).toEqual([]);
  });

  it('every operation has a name of its own, in every spelling of generators', () => {
    const names = operations.map(({ operation }) => String(operation['operationId']));
    // Some take a second underscore for the end of the name.
    expect(names.filter((name) => name.split('_').length > 2)).toEqual([]);
    expect(new Set(names.map((name) => name.replace('_', '').toLowerCase())).size).toBe(names.length);
  });

  it('every format is one of JSON Schema', () => {
    const formats = all.flatMap(({ schema: { format } }) => (typeof format === 'string' ? [format] : []));
    expect([...new Set(formats)].toSorted()).toEqual(['date-time', 'email', 'ipv4', 'ipv6', 'uri']);
  });

  it('every time is a date-time', () => {
    const fields = all.flatMap(({ place, schema }) =>
      propertiesOf(schema).map((field) => ({ place: `${place} ${field.name}`, ...field })),
    );
    for (const field of ['alarmSince', 'unreachableSince'])
      expect(fields.map(({ name }) => name)).toContain(field);
    const times = fields.filter(({ name, schema }) => isTimeName(name) && isText(schema));
    expect(times.length).toBeGreaterThan(100);
    expect(times.filter(({ place, schema }) => !isTime(schema) && !place.startsWith('berth.yml'))).toEqual(
      [],
    );
  });

  it('no component is there that nothing refers to', () => {
    const text = JSON.stringify(document);
    const components = Object.entries(Object(document['components'])).flatMap(([kind, named]) =>
      Object.keys(Object(named)).map((name) => `${kind}/${name}`),
    );
    const unused = components.filter((name) => !text.includes(`"#/components/${name}"`));
    expect(unused.filter((name) => !name.startsWith('securitySchemes/'))).toEqual([]);
  });

  it('no schema takes the name of something that each program has', () => {
    const { schemas } = Object(document['components']);
    expect(Object.keys(schemas).filter((name) => name in globalThis && name !== 'Event')).toEqual([]);
  });
});

describe('people who read it', () => {
  it('find every tag once, and described', () => {
    const tags: unknown = document['tags'];
    const list = Array.isArray(tags) ? tags.map((tag) => Object(tag)) : [];
    expect(new Set(list.map(({ name }) => name)).size).toBe(list.length);
    expect(list.filter(({ description }) => typeof description !== 'string')).toEqual([]);
  });

  it('find every field and every parameter described', () => {
    const fields = all
      .filter(({ place }) => !place.startsWith('berth.yml'))
      .flatMap(({ place, schema }) =>
        propertiesOf(schema).map((field) => ({ name: `${place} ${field.name}`, schema: field.schema })),
      );
    const parameters = operations.flatMap(({ path, operation: { parameters: own = [] } }) =>
      [...own].map((one) => ({ name: `${path} ${one.name}`, schema: Object(one) })),
    );
    expect(fields.length).toBeGreaterThan(3000);
    const silent = [...fields, ...parameters].filter(
      ({ schema }) => schema['description'] === undefined && schema['$ref'] === undefined,
    );
    expect(silent.map(({ name }) => name)).toEqual([]);
  });
});

it('each address answers one shape: a list is an array, and its pages have an address of their own', () => {
  const answers = operations.map(({ path, operation }) => ({
    path,
    schema: Object(operation['responses'])['200']?.content?.['application/json']?.schema,
  }));
  const paged = answers.filter(({ schema }) => isSchema(schema?.properties?.nextCursor));
  expect(paged.length).toBeGreaterThan(50);
  expect(paged.filter(({ path }) => !path.endsWith('/page'))).toEqual([]);
  for (const { path, schema } of paged) {
    const whole = answers.find((one) => `${one.path}/page` === path)?.schema;
    expect(whole).toMatchObject({ type: 'array', items: schema.properties.items.items });
  }
  const mixed = answers.filter(({ schema }) => JSON.stringify(schema?.anyOf ?? '').includes('nextCursor'));
  expect(mixed).toEqual([]);
});

it('whatever may find a machine unreachable may find a server without a key, too', () => {
  const reaching = operations.filter(({ operation }) => '503' in Object(operation['responses']));
  expect(reaching.length).toBeGreaterThan(100);
  const undocumented = reaching.filter(({ operation }) => !('412' in Object(operation['responses'])));
  expect(undocumented.map(({ path }) => path)).toEqual([]);
});

it('a stream names the events that it sends', () => {
  const streamOf = (path: string): { schema: { description: string }; example: string } =>
    Object(document['paths'])[path].get.responses[200].content['text/event-stream'];
  const events = streamOf('/api/event.stream');
  expect(events.schema.description).toContain('`event`, `position` and `reset`');
  expect(events.example).toMatch(/^event: event\nid: 1\ndata: \{"type":"event"/);
  const log = streamOf('/api/deployment.logs');
  expect(log.schema.description).toContain('`line` and `end`');
  expect(log.example).toMatch(/^event: line\n/);
});

function compiles(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags).flags === flags;
  } catch {
    return false;
  }
}

const alternativesOf = (schema: Schema): Schema[] =>
  Array.isArray(schema['anyOf']) ? schema['anyOf'].filter(isSchema) : [schema];
const isText = (schema: Schema): boolean =>
  alternativesOf(schema).some(({ type }) => [type].flat().includes('string'));
const isTime = (schema: Schema): boolean =>
  alternativesOf(schema).every(({ type, format }) => type === 'null' || format === 'date-time');
