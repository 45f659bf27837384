/**
 * The mount `/compat`: the same procedures in the words of the interface's family (domain/family-words.ts),
 * for clients that were written for other servers of it. Who may do what is the guard's business, here too.
 */
import { appNameFrom } from '../domain/names/names.ts';
import { AppError } from '../domain/errors.ts';
import { databaseKindNames } from '../domain/database-kind.ts';
import { familyAnswer, familyField, familyPaths, ownInput } from '../domain/family-words.ts';
import { randomId } from '../ports/clock.ts';
import { verbOf, type StreamEvent } from '../procedure/procedure.ts';
import type { Registry } from '../procedure/registry.ts';
import type { Wire } from './wire.ts';

export const familyPrefix = '/compat';
export const familyListPath = `${familyPrefix}/api`;

/**
 * The wire of the mount: procedures by their names and by ours, inputs and answers in their words, and on
 * form A the envelope that all of their clients take off.
 */
export function familyWire(wire: Wire): Wire {
  return {
    ...wire,
    wrapsAnswers: true,
    listPath: familyListPath,
    registry: familyRegistry(wire.registry),
    guard: familyGuard(wire.guard),
  };
}

export function familyRegistry(own: Registry): Registry {
  const theirs = [...own].flatMap(([path, target]) =>
    familyPaths(path).map((name) => [name, target] as const),
  );
  return new Map([...own, ...theirs]);
}

/** Every name of the mount with its verb, and the procedure that it calls. */
export function familyList(own: Registry): object {
  const names = [...familyRegistry(own)].map(([name, { path, procedure }]) => ({
    name,
    verb: verbOf(procedure),
    procedure: path,
  }));
  return {
    about:
      'The names of this mount. `procedure` is what each calls; GET /api/openapi.json describes it. Fields ' +
      'may be written in the words of the family or in these.',
    procedures: names.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function familyGuard(guard: Wire['guard']): Wire['guard'] {
  return {
    async call(target, caller, input, file) {
      try {
        const answer = await guard.call(target, caller, completed(target.path, input), file);
        return familyAnswer(target.path, answer);
      } catch (error) {
        throw inTheirWords(target.path, error);
      }
    },
    async stream(target, caller, input) {
      try {
        return inTheirEvents(target.path, await guard.stream(target, caller, completed(target.path, input)));
      } catch (error) {
        throw inTheirWords(target.path, error);
      }
    },
  };
}

async function* inTheirEvents(
  path: string,
  events: AsyncIterable<StreamEvent<unknown>>,
): AsyncGenerator<StreamEvent<unknown>> {
  for await (const event of events) yield { ...event, data: familyAnswer(path, event.data) };
}

/** With what their clients leave to the server and ours must name. */
function completed(path: string, input: unknown): unknown {
  const own = ownInput(path, input);
  const kind = databaseKindNames.find((one) => path === `${one}.create`);
  if (kind === undefined || typeof own !== 'object' || own === null) return own;
  const { name, appName } = own as { name?: unknown; appName?: unknown };
  const needsRoot = kind === 'mysql' || kind === 'mariadb';
  return {
    ...(needsRoot ? { databaseRootPassword: '' } : {}),
    ...own,
    ...(appName || typeof name !== 'string' ? {} : { appName: appNameFrom(name, randomId(6)) }),
  };
}

/** A fault names the field as the caller wrote it. */
function inTheirWords(path: string, error: unknown): unknown {
  if (!(error instanceof AppError) || !error.issues) return error;
  const { code, message, issues, retryAfterMs, reason, needs } = error;
  const theirs = issues.map((issue) => ({ ...issue, path: familyField(path, issue.path) }));
  const [first] = issues;
  const [same] = theirs;
  const sentence = first && same ? message.replace(`${first.path}:`, () => `${same.path}:`) : message;
  return new AppError(code, sentence, { issues: theirs, retryAfterMs, reason, needs, cause: error });
}
