/** Runs a row of the conformance suite against a started program, under one form of the address. */
import type { NamedProcedure } from '../../server/src/procedure/describe/listing.ts';
import { callerOf, procedures, type Form } from '../e2e/fixtures/caller.ts';
import type { Answer } from '../http/call.ts';
import { placedInput } from '../e2e/fixtures/placed-input.ts';
import { password } from '../world/inputs.ts';
import { personNames, type Person, type PersonName } from '../world/people.ts';
import type { World } from '../world/world.ts';
import { faultOfAnswer, isFlatAnswer, valueIn } from './answer.ts';
import { mismatch } from './matching.ts';
import type { Row, Step } from './row.ts';

const byPath: ReadonlyMap<string, NamedProcedure> = new Map(
  procedures.map((procedure) => [procedure.path, procedure]),
);

export interface Place {
  url: string;
  world: World;
  form: Form;
  /** Server on which the services of the world are, `<placeServerId>`; null for Berth's own machine. */
  serverId: string | null;
}

type Names = Record<string, unknown>;

/** What is wrong with the row, if anything. */
export async function runRow(row: Row, place: Place): Promise<string | undefined> {
  const names = namesOf(place);
  const title = `${nameOf(row)}, form ${place.form}`;
  for (const [when, steps] of [
    ['before: ', row.before ?? []],
    ['', [row]],
    ['after: ', row.after ?? []],
  ] as const) {
    for (const step of steps) {
      const fault = await runStep(step, place, names);
      if (fault !== undefined) return `${title}: ${when}${when === '' ? '' : `${step.call} `}${fault}`;
    }
  }
  return undefined;
}

/** What the row is called where it is named. */
export function nameOf({ call, rule }: Row): string {
  return rule === undefined ? call : `${call} (${[rule].flat().join('; ')})`;
}

async function runStep(step: Step, place: Place, names: Names): Promise<string | undefined> {
  const procedure = byPath.get(step.call);
  if (!procedure) return `there is no procedure ${step.call}`;
  const call = callerOf(place.url, headersOf(step, procedure, place));
  const input = filled(placedInput(step.call, step.input ?? {}, place.serverId), names);
  const answer = await call(step.call, input, place.form, step.file);
  const fault =
    faultOfAnswer(procedure, answer, place.form) ??
    (isRefusal(step) ? refusalFault(step, answer, place.form) : goodFault(step, answer, place.form, names));
  if (fault !== undefined)
    return (
      `${fault} | asked ${JSON.stringify(input).slice(0, 300)}, answered ${answer.status} ` +
      `${answer.text.slice(0, 500)}`
    );
  for (const [name, way] of Object.entries(step.keep ?? {}))
    names[name] = at(valueIn(answer, place.form), way);
  return undefined;
}

function headersOf(
  { as = 'owner' }: Step,
  { procedure }: NamedProcedure,
  { url, world }: Place,
): Record<string, string> {
  const session = ({ bySession }: Person): Record<string, string> => ({ ...bySession, origin: url });
  if (as === 'nobody') return {};
  if (as === 'narrowed') return world.narrowed;
  if (typeof as === 'object')
    return as.by === 'session' ? session(world.people[as.person]) : world.people[as.person].byKey;
  return procedure.access.sessionOnly ? session(world.people[as]) : world.people[as].byKey;
}

function isRefusal({ refused, flat }: Step): boolean {
  return refused !== undefined || flat !== undefined;
}

function refusalFault(
  { refused, field, flat, says }: Step,
  { body, text }: Answer,
  form: Form,
): string | undefined {
  if (flat !== undefined) {
    return isFlatAnswer(body) ? mismatch(body, { error: flat }) : `not flat, though it should be ${flat}`;
  }
  const envelope = {
    error: { code: refused, message: { any: 'text' } },
    ...(form === 'b' ? { code: refused, message: { any: 'text' } } : {}),
  };
  const fault = mismatch(body, envelope);
  if (fault !== undefined) return fault;
  if (says !== undefined && !text.includes(says)) return `does not say "${says}"`;
  const issues = at(body, 'error.data.issues');
  const named = Array.isArray(issues) ? issues.map((issue: unknown) => at(issue, 'path')) : [];
  return field === undefined ||
    named.some((path) => path === field || (typeof path === 'string' && path.startsWith(`${field}.`)))
    ? undefined
    : `does not name ${field} but ${JSON.stringify(named)}`;
}

function goodFault({ gives }: Step, answer: Answer, form: Form, names: Names): string | undefined {
  if (answer.status !== 200) return `refused with ${answer.status}`;
  return gives === undefined ? undefined : mismatch(valueIn(answer, form), filled(gives, names));
}

function namesOf({ world: { own, foreign, people }, serverId }: Place): Names {
  // Taken nowhere else in the installation.
  const freePort = 30_000 + Number(own.prefix.slice(1));
  const names: Names = { ...own, password, freePort, placeServerId: serverId };
  for (const [name, value] of Object.entries(foreign)) names[`foreign.${name}`] = value;
  for (const name of personNames)
    for (const [field, value] of Object.entries(personFields(people, name)))
      names[`${name}.${field}`] = value;
  return names;
}

function personFields(people: World['people'], name: PersonName): Record<string, string> {
  const { userId, email, apiKeyId, sessionId, memberId, invitation, recoveryCode } = people[name];
  return { userId, email, apiKeyId, sessionId, memberId, invitation, recoveryCode };
}

/** The value with every `<name>` in its texts replaced. */
function filled(value: unknown, names: Names): unknown {
  if (typeof value === 'string') return filledText(value, names);
  if (Array.isArray(value)) return value.map((item) => filled(item, names));
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, filled(item, names)]));
}

function filledText(text: string, names: Names): unknown {
  const [, whole] = /^<([\w.]+)>$/.exec(text) ?? [];
  if (whole !== undefined && whole in names) return names[whole];
  return text.replaceAll(/<([\w.]+)>/g, (found, name: string) =>
    name in names ? String(names[name]) : found,
  );
}

function at(value: unknown, way: string): unknown {
  let found = value;
  for (const name of way.split('.'))
    found = typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined;
  return found;
}
