/**
 * Every procedure of the registry × every caller and every id that it takes, against the started program: the
 * answer must be what the procedure's declaration says.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { standingReaches } from '../../server/src/domain/access/permissions.ts';
import type { NamedProcedure } from '../../server/src/procedure/describe/listing.ts';
import { callers, outcomeOf, type CallerName, type Outcome } from '../../tools/generate/access-table.ts';
import { callerOf, procedures, valueOf, type Form } from '../e2e/fixtures/caller.ts';
import type { Answer } from '../http/call.ts';
import { ofThisRun } from '../run/mode.ts';
import { idOf, inputFor, inputWith } from '../world/inputs.ts';
import type { PersonName } from '../world/people.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';
import { handlerAnswers } from './handler-answers.ts';
import { inOrder } from './in-order.ts';
import { verbOf } from '../../server/src/procedure/procedure.ts';

const names = Object.keys(callers).filter((name) => name in callers) as CallerName[];
const isRead = ({ procedure }: NamedProcedure): boolean => verbOf(procedure) === 'GET';

let program: Program;
/** For whatever changes nothing. */
let shared: World;
let revoked: Record<string, string>;
let spare: World[];

/**
 * A cell that is answered by its handler changes something: it has a world of its own, and the ordinary run
 * takes a third of them by its seed. What is refused is tried whole in every run.
 */
const changing = ofThisRun(
  procedures.flatMap((procedure) =>
    isRead(procedure)
      ? []
      : names
          .filter((caller) => typeof outcomeOf(procedure, caller) === 'string')
          .map((caller) => ({ procedure, caller })),
  ),
  3,
);

beforeAll(async () => {
  ({
    program,
    first: shared,
    worlds: spare,
  } = await startWithWorlds(changing.length, { withPasswords: true }));
  revoked = await revokedKey();
});
afterAll(() => program[Symbol.asyncDispose]());

/** A key that worked, and was deleted. */
async function revokedKey(): Promise<Record<string, string>> {
  const bySession = callerOf(program.url, { ...shared.people.admin.bySession, origin: program.url });
  const made = await valueOf(
    bySession('user.createApiKey', {
      name: 'short-lived',
      metadata: { organizationId: shared.own.organizationId },
    }),
  );
  const [id, key] = ['id', 'key'].map((field): string =>
    String(typeof made === 'object' && made !== null ? Reflect.get(made, field) : undefined),
  );
  const headers = { 'x-api-key': key ?? '' };
  await valueOf(callerOf(program.url, headers)('user.get'));
  await valueOf(bySession('user.deleteApiKey', { apiKeyId: id }));
  return headers;
}

function headersOf(
  caller: CallerName,
  { people, expired, narrowed }: World,
  byKey: boolean,
): Record<string, string> {
  const person = (name: PersonName): Record<string, string> =>
    byKey ? people[name].byKey : { ...people[name].bySession, origin: program.url };
  switch (caller) {
    case 'nobody':
      return {};
    case 'badKey':
      return { 'x-api-key': 'berth_wrong' };
    case 'expiredKey':
      return expired;
    case 'revokedKey':
      return revoked;
    case 'narrowedKey':
      return narrowed;
    case 'member':
    case 'elsewhere':
    case 'granted':
    case 'admin':
    case 'owner':
    case 'stranger':
      return person(caller);
  }
}

/** Who the caller is, for what is one's own. */
function personOf(caller: CallerName): PersonName {
  return caller === 'member' ||
    caller === 'elsewhere' ||
    caller === 'granted' ||
    caller === 'admin' ||
    caller === 'stranger'
    ? caller
    : 'owner';
}

async function ask(procedure: NamedProcedure, caller: CallerName, world: World, form: Form): Promise<Answer> {
  const byKey = !procedure.procedure.access.sessionOnly;
  return callerOf(program.url, headersOf(caller, world, byKey))(
    procedure.path,
    inputFor(procedure, { world, who: personOf(caller) }),
    form,
  );
}

/** What is wrong with the answer, if anything. */
function faultOf(
  procedure: NamedProcedure,
  caller: CallerName,
  outcome: Outcome,
  { status, text }: Answer,
): string | undefined {
  const expected =
    typeof outcome === 'number' ? [outcome] : outcome === 'part' ? [200, 403] : handlerAnswers(procedure);
  const isAtTheDoor =
    typeof outcome === 'string' &&
    outcome !== 'part' &&
    /The input is not valid|There is no \w+ with the id given in/.test(text);
  return expected.includes(status) && !isAtTheDoor
    ? undefined
    : `${procedure.path} as ${callers[caller]}: ${status} instead of ` +
        `${outcome}${typeof outcome === 'string' ? ` (${expected.join(' or ')})` : ''}: ` +
        `${text.slice(0, 300)}`;
}

describe('every procedure × every caller', () => {
  it('refuses whom its declaration refuses, and changes nothing then', async () => {
    const cells = procedures.flatMap((procedure) =>
      names.flatMap((caller) => {
        const outcome = outcomeOf(procedure, caller);
        return typeof outcome === 'number' || isRead(procedure) ? [{ procedure, caller, outcome }] : [];
      }),
    );
    const faults = await inOrder(cells, async ({ procedure, caller, outcome }) => {
      const answers = await Promise.all(
        (['a', 'b'] as const).map((form) => ask(procedure, caller, shared, form)),
      );
      return answers
        .map((answer) => faultOf(procedure, caller, outcome, answer))
        .find((fault) => fault !== undefined);
    });
    console.log(
      `access: ${procedures.length} procedures × ${names.length} callers: ${cells.length} cells read or ` +
        'refused, both forms',
    );
    expect(faults).toEqual([]);
  });

  it('lets to its handler whom its declaration lets, each in its own world or in the first', async () => {
    const faults = await inOrder(changing, async ({ procedure, caller }, index) => {
      const world = !standingReaches('tenant', procedure.procedure.access.class) ? shared : spare[index];
      if (!world) throw new Error('There are too few worlds.');
      return faultOf(
        procedure,
        caller,
        outcomeOf(procedure, caller),
        await ask(procedure, caller, world, 'b'),
      );
    });
    console.log(`access: ${changing.length} cells let through, each in a world of its own`);
    expect(faults).toEqual([]);
  });
});

describe('every id', () => {
  const references = procedures.flatMap((procedure) =>
    procedure.procedure.access.resources.map(({ kind, field, acrossOrganizations }) => ({
      procedure,
      kind,
      field,
      acrossOrganizations,
    })),
  );

  it.each([
    ['of another organization', 403],
    ['of nothing', 404],
  ])('%s is refused with %d and named', async (_title, status) => {
    // The caller is the installation's Owner, who may name what stands in any organization there.
    const refused = references.filter(
      ({ acrossOrganizations }) => status === 404 || acrossOrganizations !== true,
    );
    const faults = await inOrder(refused, async ({ procedure, kind, field }) => {
      const id = status === 403 ? idOf(shared.foreign, kind) : 'nothing-has-this-id';
      const input = inputWith(procedure, { world: shared, who: 'owner' }, field, id);
      const headers = headersOf('owner', shared, !procedure.procedure.access.sessionOnly);
      for (const form of ['a', 'b'] as const) {
        const answer = await callerOf(program.url, headers)(procedure.path, input, form);
        if (answer.status !== status || !answer.text.includes(field))
          return (
            `${procedure.path}.${field}: ${answer.status} instead of ${status}: ` + answer.text.slice(0, 300)
          );
      }
      return undefined;
    });
    console.log(`access: ${refused.length} ids ${_title}`);
    expect(faults).toEqual([]);
  });
});

it('met nothing unexpected', () => {
  expect(program.faults()).toEqual([]);
});
