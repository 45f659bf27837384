/**
 * What the document says of every procedure alike, made from the schemas: the other verb, fields that are
 * missing or of another type, keys that nobody knows, the json envelope.
 */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseKindNames } from '../../server/src/domain/database-kind.ts';
import { isSchema, propertiesOf, type Schema } from '../../server/src/procedure/describe/describe-type.ts';
import { inlineSchemaOf } from '../../server/src/procedure/describe/json-schema.ts';
import type { NamedProcedure } from '../../server/src/procedure/describe/listing.ts';
import { inOrder } from '../access/in-order.ts';
import { callerOf, procedures, type Call } from '../e2e/fixtures/caller.ts';
import { inputQuery, send, type Answer } from '../http/call.ts';
import { inputFor } from '../world/inputs.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';
import { valueIn } from './answer.ts';
import { mismatch } from './matching.ts';
import { verbOf } from '../../server/src/procedure/procedure.ts';

const forms = ['a', 'b'] as const;
/** What no field takes in place of what it wants; the first that its schema refuses is sent. */
const others: readonly unknown[] = [{ wrong: 'type' }, 'text', 7, [[true]]];

let program: Program;
let world: World;

beforeAll(async () => {
  ({ program, first: world } = await startWithWorlds());
});
afterAll(() => program[Symbol.asyncDispose]());

function headersFor({ procedure: { access } }: NamedProcedure): Record<string, string> {
  const { owner } = world.people;
  return access.sessionOnly ? { ...owner.bySession, origin: program.url } : owner.byKey;
}

const callOf = (procedure: NamedProcedure): Call => callerOf(program.url, headersFor(procedure));
const good = (procedure: NamedProcedure): Record<string, unknown> =>
  inputFor(procedure, { world, who: 'owner' });
const isRead = ({ procedure }: NamedProcedure): boolean => verbOf(procedure) === 'GET';

it('the other verb is 405', async () => {
  const faults = await inOrder(procedures, async (procedure) => {
    for (const form of forms) {
      const address = `${program.url}/api/${form === 'a' ? 'trpc/' : ''}${procedure.path}`;
      const answer = isRead(procedure)
        ? await send(address, { headers: headersFor(procedure), body: {} })
        : await send(address, { headers: headersFor(procedure) });
      if (answer.status !== 405) return `${procedure.path}, form ${form}: ${answer.status}`;
    }
    return undefined;
  });
  expect(faults).toEqual([]);
});

interface Field {
  procedure: NamedProcedure;
  name: string;
  required: boolean;
}

/** Fields of an upload come as texts, whatever they are. */
const fields = procedures
  .filter(({ procedure: { kind } }) => kind !== 'upload')
  .flatMap((procedure): Field[] =>
    propertiesOf(inlineSchemaOf(procedure.procedure.input, 'input')).map(({ name, required }) => ({
      procedure,
      name,
      required,
    })),
  );

function namesField(answer: Answer, name: string): boolean {
  const issues: unknown = ['error', 'data', 'issues'].reduce(
    (value: unknown, key) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined,
    answer.body,
  );
  return (
    answer.status === 400 &&
    Array.isArray(issues) &&
    issues.some((issue: unknown) => {
      const path: unknown =
        typeof issue === 'object' && issue !== null ? Reflect.get(issue, 'path') : undefined;
      return typeof path === 'string' && (path === name || path.startsWith(`${name}.`));
    })
  );
}

async function refusedFields(cases: readonly { field: Field; input: unknown }[]): Promise<string[]> {
  return inOrder(cases, async ({ field: { procedure, name }, input }) => {
    for (const form of forms) {
      const answer = await callOf(procedure)(procedure.path, input, form);
      if (!namesField(answer, name))
        return `${procedure.path}.${name}, form ${form}: ${answer.status} ${answer.text.slice(0, 300)}`;
    }
    return undefined;
  });
}

it('a missing required field is 400 with its name', async () => {
  const cases = fields
    .filter(({ required }) => required)
    .map((field) => ({
      field,
      input: Object.fromEntries(
        Object.entries(good(field.procedure)).filter(([name]) => name !== field.name),
      ),
    }));
  console.log(`conformance: ${cases.length} required fields left out, both forms`);
  expect(await refusedFields(cases)).toEqual([]);
});

it('a field of another type is 400 with its name', async () => {
  const cases = fields.flatMap((field) => {
    const input = good(field.procedure);
    const wrong = others.find((value) => {
      const parsed = field.procedure.procedure.input.safeParse({ ...input, [field.name]: value });
      return parsed.error?.issues.some(({ path }) => path[0] === field.name) ?? false;
    });
    return wrong === undefined ? [] : [{ field, input: { ...input, [field.name]: wrong } }];
  });
  console.log(
    `conformance: ${cases.length} of ${fields.length} fields with a value of another type, both forms`,
  );
  expect(cases.length).toBeGreaterThan(fields.length * 0.98);
  expect(await refusedFields(cases)).toEqual([]);
});

/** A read answers twice the same; what changes something is asked in the rows. */
it('unknown keys are ignored, and a json envelope is taken and given back', async () => {
  const reads = procedures.filter(isRead);
  const faults = await inOrder(reads, async (procedure) => {
    const input = good(procedure);
    const headers = headersFor(procedure);
    const [plain, more] = [
      await callOf(procedure)(procedure.path, input),
      await callOf(procedure)(procedure.path, { ...input, nobodyKnowsThis: { a: [1] } }),
    ];
    if (plain.status !== more.status)
      return `${procedure.path} with an unknown key: ${more.status} instead of ${plain.status}`;
    const wrapped = await send(`${program.url}/api/trpc/${procedure.path}${inputQuery({ json: input })}`, {
      headers,
    });
    if (wrapped.status !== plain.status)
      return `${procedure.path} in an envelope: ${wrapped.status} instead of ${plain.status}`;
    // A stream answers with its lines, whoever asks.
    if (plain.status !== 200 || procedure.procedure.kind === 'subscription') return undefined;
    // What is absent is null in both.
    if (plain.body === null) return undefined;
    const fault = mismatch(valueIn(wrapped, 'a'), {
      json: { any: Array.isArray(plain.body) ? 'list' : typeof plain.body === 'string' ? 'text' : 'object' },
    });
    return fault === undefined ? undefined : `${procedure.path} in an envelope: ${fault}`;
  });
  expect(faults).toEqual([]);
});

/** What comes by its newest lines or points, or as a git host lists it, not in pages. */
const notInPages = new Set([
  ...['application', 'compose', 'deployment', ...databaseKindNames].map((noun) => `${noun}.readLogs`),
  'gitProvider.branches',
  'gitProvider.repositories',
  'domain.accessLog',
  'server.getServerMetrics',
  'server.metrics',
  'service.endedOutput',
  'service.metrics',
  'service.usage',
]);

it('every list comes whole, or in pages that come to the same', async () => {
  const lists = procedures.filter(
    ({ procedure: { kind, output } }) => kind === 'query' && givesList(inlineSchemaOf(output, 'output')),
  );
  const faults = await inOrder(
    lists.filter(({ path }) => !notInPages.has(path)),
    async (procedure) => {
      if (
        !propertiesOf(inlineSchemaOf(procedure.procedure.input, 'input')).some(({ name }) => name === 'limit')
      )
        return `${procedure.path} comes whole only`;
      const ask = (input: object): Promise<Answer> =>
        callOf(procedure)(procedure.path, { ...good(procedure), ...input });
      const whole = await ask({});
      // Without an engine, here or on a server.
      if ([412, 503].includes(whole.status)) return undefined;
      const items: unknown[] = [];
      for (let cursor: unknown; cursor !== null; ) {
        const { status, body, text } = await ask({ limit: 1, ...(cursor === undefined ? {} : { cursor }) });
        const page: unknown =
          typeof body === 'object' && body !== null ? Reflect.get(body, 'items') : undefined;
        if (status !== 200 || !Array.isArray(page) || page.length > 1)
          return `${procedure.path} in pages: ${status} ${text.slice(0, 300)}`;
        items.push(...page);
        cursor = Reflect.get(Object(body), 'nextCursor');
        if (items.length > 1000) return `${procedure.path} in pages comes to no end`;
      }
      return isDeepStrictEqual(items, whole.body)
        ? undefined
        : `${procedure.path} in pages: ${items.length} items instead of ` +
            `${Array.isArray(whole.body) ? whole.body.length : 'a list'}`;
    },
  );
  console.log(`conformance: ${lists.length - notInPages.size} lists whole and in pages`);
  expect(lists.length).toBeGreaterThan(30);
  expect(faults).toEqual([]);
});

function givesList(schema: Schema): boolean {
  const alternatives = Array.isArray(schema['anyOf']) ? schema['anyOf'].filter(isSchema) : [];
  return schema['type'] === 'array' || alternatives.some(givesList);
}

it('met nothing unexpected', () => {
  expect(program.faults()).toEqual([]);
});
